//! `cm starters`

use crate::support::vault_of;

#[test]
fn the_sets_are_listed_with_what_is_there_already() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["starters"]).snapshot(), @"
    git         11 rules  A history that can be read, reviewed and undone
    go          11 rules  Plain Go with errors, contexts and goroutines under control
    node        11 rules  Node services that start, serve and stop cleanly
    python      12 rules  Python that a reader and a type checker both follow
    react       11 rules  Components that render what the state says, and no more often than needed
    rust        12 rules  Idiomatic Rust that fails at compile time rather than at night
    security    12 rules  Habits that keep the common holes closed
    sql         11 rules  Queries and migrations that survive large tables
    testing     12 rules  Tests that fail for one reason and pass for the right one
    typescript  11 rules  Types that hold at run time as well as in the editor
    [exit 0]
    ");
}

//! Merges of episodes.

use super::*;

const DAY: &str = "episodes/2026-11-21.md";

fn day(entries: &[(&str, &str)]) -> String {
    let entries =
        entries.iter().map(|(time, title)| format!("\n## {time} - {title}\n- **Summary**: the same\n"));
    format!("---\ndate: 2026-11-21\n---\n\n# 2026-11-21\n{}", entries.collect::<String>())
}

#[test]
fn entries_of_both_sides_stand_in_order_of_time() {
    let (base, ours, theirs) = (
        day(&[("08:00", "a")]),
        day(&[("08:00", "a"), ("10:00", "x")]),
        day(&[("08:00", "a"), ("09:00", "y"), ("11:00", "z")]),
    );
    let both = day(&[("08:00", "a"), ("09:00", "y"), ("10:00", "x"), ("11:00", "z")]);
    assert_eq!(synced(DAY, &base, &ours, &theirs), both);
    assert_eq!(synced(DAY, &base, &both, &theirs), both);
}

#[test]
fn the_first_entries_of_a_day_share_one_heading() {
    let (ours, theirs) = (day(&[("10:00", "x")]), day(&[("09:00", "y")]));
    let both = merged(DAY, None, ours.as_bytes(), theirs.as_bytes(), Clash::Markers);
    assert_eq!(String::from_utf8(both.bytes).unwrap(), day(&[("09:00", "y"), ("10:00", "x")]));
}

#[test]
fn two_entries_of_one_minute_and_title_both_stand() {
    let [ours, theirs] = ["mine", "yours"].map(|word| day(&[("10:00", "x")]).replace("the same", word));
    let text = synced(DAY, &day(&[]), &ours, &theirs);
    assert_eq!(text.matches("## 10:00 - x").count(), 2);
    assert!(text.contains("mine") && text.contains("yours"));
}

//! The playbook: all rules with score, maturity and feedback, by category.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{count, note_address};
use cm_app::verbs::playbook::BulletRow;
use cm_app::verbs::playbook::list::{self, BulletFilter};
use cm_app::{Context, Result};
use cm_note::bullet::{BulletState, Maturity};

/// Number of rules on a page.
const SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "playbook.html")]
struct PlaybookPage {
    shell: Shell,
    summary: String,
    categories: Vec<Category>,
    states: Vec<Choice>,
    maturities: Vec<Choice>,
    next: Option<usize>,
}

struct Choice {
    name: &'static str,
    is_chosen: bool,
}

struct Category {
    name: String,
    rules: Vec<Rule>,
}

struct Rule {
    address: String,
    content: String,
    state: &'static str,
    maturity: &'static str,
    /// Step of the maturity, 0 to 3, for the ladder.
    step: usize,
    score: String,
    helpful: usize,
    harmful: usize,
    is_pinned: bool,
    is_warning: bool,
}

pub(in crate::web) fn show(memory: &Context, request: &PageRequest) -> Result<String> {
    let wanted = request.query.get("state");
    let state = BulletState::ALL.iter().copied().find(|state| Some(state.name()) == wanted);
    let wanted = request.query.get("maturity");
    let maturity = Maturity::ALL.iter().copied().find(|maturity| Some(maturity.name()) == wanted);
    let filter = BulletFilter { states: state.into_iter().collect(), maturity, ..BulletFilter::default() };
    let offset = request.query.number("offset").unwrap_or(0);
    let page = list::list(memory, &list::Options { filter, limit: SHOWN, offset })?;
    let choice = |name, chosen: Option<&str>| Choice { name, is_chosen: chosen == Some(name) };
    let states =
        BulletState::ALL.iter().copied().map(|one| choice(one.name(), state.map(|state| state.name())));
    let maturities =
        Maturity::ALL.iter().copied().map(|one| choice(one.name(), maturity.map(|maturity| maturity.name())));
    render(&PlaybookPage {
        shell: Shell::of(memory, request, "playbook", "Playbook"),
        summary: count(page.total, "rule"),
        categories: by_category(page.bullets),
        states: states.collect(),
        maturities: maturities.collect(),
        next: page.next,
    })
}

/// Groups rules by category, categories in the order of their best rule.
fn by_category(rows: Vec<BulletRow>) -> Vec<Category> {
    let mut categories: Vec<Category> = Vec::new();
    for row in rows {
        let at = categories.iter().position(|category| category.name == row.category);
        let at = at.unwrap_or_else(|| {
            categories.push(Category { name: row.category.clone(), rules: Vec::new() });
            categories.len() - 1
        });
        categories[at].rules.push(rule(row));
    }
    categories
}

fn rule(row: BulletRow) -> Rule {
    Rule {
        address: note_address(&row.id),
        content: row.content,
        state: row.state.name(),
        maturity: row.maturity.name(),
        step: match row.maturity {
            Maturity::Deprecated => 0,
            Maturity::Candidate => 1,
            Maturity::Established => 2,
            Maturity::Proven => 3,
        },
        score: format!("{:.2}", row.score.value()),
        helpful: row.helpful,
        harmful: row.harmful,
        is_pinned: row.pinned,
        is_warning: row.bullet_type == cm_note::bullet::BulletType::AntiPattern,
    }
}

//! The playbook: all rules with their step, score over time, forecast and feedback, by category.

use std::collections::{BTreeSet, HashMap};

use askama::Template;

use super::score_chart;
use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{count, note_address};
use cm_app::verbs::playbook::list::{self, BulletFilter};
use cm_app::verbs::playbook::{BulletRow, merged};
use cm_app::verbs::score_history::{ScoreHistory, rule_score_histories};
use cm_app::{Context, Result};
use cm_note::bullet::{BulletState, BulletType, Maturity};

/// Number of rules on a page.
const RULES_PER_PAGE: usize = 100;
/// Parameters of the address that filter.
const FILTERS: [&str; 5] = ["state", "maturity", "category", "type", "tag"];

#[derive(Template)]
#[template(path = "playbook.html")]
struct PlaybookPage {
    shell: Shell,
    summary: String,
    is_filtered: bool,
    categories: Vec<Category>,
    filters: Vec<Filter>,
    tag: String,
    /// Address of the next page.
    next: Option<String>,
}

/// A list of values to filter by.
struct Filter {
    name: &'static str,
    label: &'static str,
    choices: Vec<Choice>,
}

struct Choice {
    value: String,
    label: String,
    is_chosen: bool,
}

struct Category {
    name: String,
    rules: Vec<Rule>,
}

struct Rule {
    id: String,
    address: String,
    content: String,
    state: &'static str,
    maturity: &'static str,
    /// Step of the maturity, 0 to 3, for the ladder.
    step: usize,
    score: String,
    /// The course of the score: points of a line, and the same in words.
    line: String,
    course: String,
    forecast: Option<String>,
    helpful: usize,
    harmful: usize,
    is_pinned: bool,
    is_warning: bool,
    /// Whether it is in use in the vault that the page changes.
    can_change: bool,
}

pub(in crate::web) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let filter = filter(request);
    let filters = filters(context, &filter)?;
    let is_filtered = filter != BulletFilter::default();
    let offset = request.query.number("offset").unwrap_or(0);
    let page = list::list(context, &list::Options { filter, limit: RULES_PER_PAGE, offset })?;
    let ids: Vec<String> = page.bullets.iter().map(|row| row.id.clone()).collect();
    let histories = rule_score_histories(context, &ids)?.into_iter();
    let histories: HashMap<String, ScoreHistory> =
        histories.map(|history| (history.id.clone(), history)).collect();
    render(&PlaybookPage {
        summary: count(page.total, "rule"),
        is_filtered,
        categories: by_category(context, page.bullets, &histories),
        filters,
        tag: request.query.get("tag").unwrap_or_default().to_owned(),
        next: page.next.map(|next| next_address(request, next)),
        shell: Shell::of(context, request, "playbook", "Playbook"),
    })
}

fn filter(request: &PageRequest) -> BulletFilter {
    let parameter = |name| request.query.get(name);
    let state = BulletState::ALL.iter().copied().find(|one| Some(one.name()) == parameter("state"));
    BulletFilter {
        category: parameter("category").map(str::to_owned),
        states: state.into_iter().collect(),
        maturity: Maturity::ALL.iter().copied().find(|one| Some(one.name()) == parameter("maturity")),
        bullet_type: BulletType::ALL.iter().copied().find(|one| Some(one.name()) == parameter("type")),
        tag: parameter("tag").map(|tag| tag.trim_start_matches('#').to_owned()),
        ..BulletFilter::default()
    }
}

/// The filters of the form with what is chosen.
fn filters(context: &Context, filter: &BulletFilter) -> Result<Vec<Filter>> {
    let all = merged(context)?.bullets;
    let categories: BTreeSet<&str> = all.iter().map(|of_vault| of_vault.bullet.category.as_str()).collect();
    let choices = |values: Vec<&str>, chosen: Option<&str>| -> Vec<Choice> {
        let choice = |value: &str| Choice {
            value: value.to_owned(),
            label: value.replace('_', " "),
            is_chosen: chosen == Some(value),
        };
        values.into_iter().map(choice).collect()
    };
    let state = filter.states.first().map(|state| state.name());
    let (maturity, bullet_type) =
        (filter.maturity.map(Maturity::name), filter.bullet_type.map(BulletType::name));
    let names = |names: &mut dyn Iterator<Item = &'static str>| names.collect::<Vec<_>>();
    let states = names(&mut BulletState::ALL.iter().map(|one| one.name()));
    let steps = names(&mut Maturity::ALL.iter().map(|one| one.name()));
    let types = names(&mut BulletType::ALL.iter().map(|one| one.name()));
    let select = |name, label, choices| Filter { name, label, choices };
    Ok(vec![
        select("category", "Category", choices(categories.into_iter().collect(), filter.category.as_deref())),
        select("state", "State", choices(states, state)),
        select("maturity", "Step", choices(steps, maturity)),
        select("type", "Kind", choices(types, bullet_type)),
    ])
}

fn next_address(request: &PageRequest, offset: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for name in FILTERS {
        query.extend_pairs(request.query.get(name).map(|value| (name, value)));
    }
    query.append_pair("offset", &offset.to_string());
    format!("/playbook?{}", query.finish())
}

/// Groups rules by category, categories in the order of their best rule.
fn by_category(
    context: &Context,
    rows: Vec<BulletRow>,
    histories: &HashMap<String, ScoreHistory>,
) -> Vec<Category> {
    let mut categories: Vec<Category> = Vec::new();
    for row in rows {
        let at = categories.iter().position(|category| category.name == row.category);
        let at = at.unwrap_or_else(|| {
            categories.push(Category { name: row.category.clone(), rules: Vec::new() });
            categories.len() - 1
        });
        let history = histories.get(&row.id);
        let can_change = row.vault == context.target().level && row.state != BulletState::Retired;
        categories[at].rules.push(Rule { can_change, ..rule(row, history) });
    }
    categories
}

fn rule(row: BulletRow, history: Option<&ScoreHistory>) -> Rule {
    Rule {
        address: note_address(&row.id),
        id: row.id,
        // The text of most warnings says so itself.
        is_warning: row.bullet_type == BulletType::AntiPattern && !row.content.starts_with("AVOID"),
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
        line: history.map(score_chart::sparkline).unwrap_or_default(),
        course: history.map(score_chart::course).unwrap_or_default(),
        forecast: history.and_then(score_chart::forecast),
        helpful: row.helpful,
        harmful: row.harmful,
        is_pinned: row.pinned,
        can_change: false,
    }
}

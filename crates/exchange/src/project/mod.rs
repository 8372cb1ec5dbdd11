//! Renders the playbook as a section of an agent's rule file: rules by category, best first, then
//! anti-patterns.
//!
//! The caller selects the bullets. The text contains no date, so an unchanged playbook gives
//! unchanged bytes.

pub mod section;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use cm_note::bullet::Bullet;
use cm_note::bullet::content::RuleHash;
use cm_note::markdown::escape::{escape_inline, escape_rule};
use cm_note::markdown::mentions::quote_mentions;
use cm_note::note::{Feedback, FeedbackSignal};
use cm_note::score::bullet::EffectiveScore;

/// Options for the section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectionOptions {
    /// Maximum number of rules, and of anti-patterns, per category.
    pub per_category: usize,
    /// Whether to show feedback counts after each rule.
    pub counts: bool,
}

/// The rendered section with counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedSection {
    /// Text, ending with a line break.
    pub text: String,
    pub rules: usize,
    /// Number of anti-patterns.
    pub pitfalls: usize,
    /// Number of given bullets that were left out.
    pub omitted: usize,
}

/// Bullets by category, best first.
type RulesByCategory<'a> = BTreeMap<&'a str, Vec<&'a Bullet>>;

/// Renders the section for the given bullets and their scores. Among bullets with an equal rule
/// only the best is listed.
pub fn plan(bullets: &[(&Bullet, EffectiveScore)], how: &ProjectionOptions) -> RenderedSection {
    let mut ranked: Vec<(EffectiveScore, &Bullet)> =
        bullets.iter().map(|(bullet, standing)| (*standing, *bullet)).collect();
    ranked.sort_by_key(|(standing, bullet)| (Reverse(*standing), &bullet.id, &bullet.path));
    let mut seen = HashSet::new();
    ranked.retain(|(_, bullet)| seen.insert(RuleHash::of(bullet.content())));
    let (mut rules, mut pitfalls) = (RulesByCategory::new(), RulesByCategory::new());
    for (_, bullet) in &ranked {
        let section = if bullet.is_anti_pattern() { &mut pitfalls } else { &mut rules };
        let category = section.entry(bullet.category.as_str()).or_default();
        if category.len() < how.per_category {
            category.push(bullet);
        }
    }
    let count = |section: &RulesByCategory<'_>| section.values().map(Vec::len).sum::<usize>();
    let (rule_count, pitfall_count) = (count(&rules), count(&pitfalls));
    RenderedSection {
        text: text(&rules, &pitfalls, how),
        rules: rule_count,
        pitfalls: pitfall_count,
        omitted: ranked.len() - rule_count - pitfall_count,
    }
}

fn text(rules: &RulesByCategory<'_>, pitfalls: &RulesByCategory<'_>, how: &ProjectionOptions) -> String {
    let mut text = "## Playbook\n".to_owned();
    if rules.values().chain(pitfalls.values()).all(Vec::is_empty) {
        text.push_str("\nNo rules yet.\n");
        return text;
    }
    for (category, bullets) in rules.iter().filter(|(_, bullets)| !bullets.is_empty()) {
        text.push_str(&format!("\n### {}\n\n", escape_inline(category)));
        text.extend(bullets.iter().map(|bullet| line(bullet, "", how)));
    }
    if pitfalls.values().any(|bullets| !bullets.is_empty()) {
        text.push_str("\n### Pitfalls\n\n");
    }
    for (category, bullets) in pitfalls {
        let subject = format!("{}: ", escape_inline(category));
        text.extend(bullets.iter().map(|bullet| line(bullet, &subject, how)));
    }
    text
}

fn line(bullet: &Bullet, subject: &str, how: &ProjectionOptions) -> String {
    let events = |signal| Feedback::count(&bullet.feedback, signal);
    let counts = match how.counts {
        true => format!(
            " (helpful {}, harmful {})",
            events(FeedbackSignal::Helpful),
            events(FeedbackSignal::Harmful)
        ),
        false => String::new(),
    };
    format!("- {subject}{}{counts} `{}`\n", quote_mentions(&escape_rule(bullet.content())), bullet.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    use cm_note::bullet::{BulletFields, BulletState, BulletType, Maturity, Scope};
    use cm_note::id::NoteId;
    use cm_note::instant::Instant;
    use cm_note::note::Feedback;
    use cm_note::path::NotePath;

    fn bullet(id: &str, category: &str, content: &str) -> Bullet {
        Bullet {
            id: NoteId::parse(id).unwrap(),
            path: NotePath::parse(&format!("playbook/{id}.md")).unwrap(),
            bullet_type: BulletType::Rule,
            category: category.to_owned(),
            scope: Scope::Global,
            workspace: None,
            state: BulletState::Active,
            maturity: Maturity::Candidate,
            pinned: false,
            tags: Vec::new(),
            feedback: vec![Feedback::new(Instant::from_unix(0), FeedbackSignal::Helpful)],
            created: None,
            updated: None,
            last_checked: None,
            fields: BulletFields { content: content.to_owned(), ..BulletFields::default() },
        }
    }

    fn part(bullets: &[Bullet], how: &ProjectionOptions) -> RenderedSection {
        let scored: Vec<_> =
            bullets.iter().zip(1..).map(|(bullet, n)| (bullet, EffectiveScore::new(f64::from(n)))).collect();
        plan(&scored, how)
    }

    const PLAIN: ProjectionOptions = ProjectionOptions { per_category: 2, counts: false };

    #[test]
    fn rules_stand_by_category_the_best_first_and_pitfalls_apart() {
        let pitfall =
            Bullet { bullet_type: BulletType::AntiPattern, ..bullet("e", "time", "Adding 24 hours") };
        let bullets = [
            bullet("a", "testing", "Print the `seed`"),
            bullet("b", "testing", "# Run <b>all</b> tests"),
            bullet("c", "testing", "Run them twice"),
            bullet("d", "naming", "Name the unit"),
            pitfall,
            bullet("h", "other", "run THEM twice"),
        ];
        let planned = part(&bullets, &PLAIN);
        assert_eq!(
            planned.text,
            "## Playbook\n\n### naming\n\n- Name the unit `d`\n\n### other\n\n- run THEM twice `h`\n\n### testing\n\n\
             - \\# Run &lt;b>all&lt;/b> tests `b`\n- Print the `seed` `a`\n\n### Pitfalls\n\n- time: Adding 24 hours `e`\n"
        );
        assert_eq!((planned.rules, planned.pitfalls, planned.omitted), (4, 1, 0));
        let one = part(&bullets, &ProjectionOptions { per_category: 1, counts: true });
        assert!(
            one.text.contains("- \\# Run &lt;b>all&lt;/b> tests (helpful 1, harmful 0) `b`\n"),
            "{}",
            one.text
        );
        assert_eq!(one.omitted, 1);
    }

    #[test]
    fn an_empty_playbook_says_so() {
        assert_eq!(part(&[], &PLAIN).text, "## Playbook\n\nNo rules yet.\n");
    }
}

//! Category and type of a rule, by its words.

use crate::content_words::content_words;
use crate::prose::pattern;
use cm_note::bullet::BulletType;

pattern!(
    FORBIDS = r"(?i)^(?:(?:never|don['’]?t|do not|stop|avoid|nie(?:mals)?|vermeide?|nunca|jamais|evita|évite[zr]?)\b|不要|别|绝不|禁止)"
);
pattern!(
    SAYS_WHAT_INSTEAD = r"(?i)[,;.–—:]\s*(?:but\s+|and\s+)?(?:always|only|just|use|take|prefer|run|call|write|put|keep|immer|nur|nimm|siempre|usa|toujours|utilise)\b|\binstead\s*(?:$|[,.;!])|(?:改用|一律|而是|，用)"
);

/// A rule that begins by forbidding something, and does not say what to do instead, is an anti-pattern.
pub(crate) fn bullet_type(rule: &str) -> BulletType {
    let is_pitfall = FORBIDS.is_match(rule) && !SAYS_WHAT_INSTEAD.is_match(rule);
    if is_pitfall { BulletType::AntiPattern } else { BulletType::Rule }
}

/// Returns the category whose typical words a rule contains; `workflow` if none matches.
pub fn category(rule: &str) -> &'static str {
    const CATEGORY_WORDS: [(&str, &[&str]); 8] = [
        ("testing", &["test", "tests", "mock", "mocks", "coverage", "fixture", "fixtures", "assert"]),
        (
            "git",
            &["commit", "commits", "push", "branch", "branches", "rebase", "merge", "squash", "pr", "git"],
        ),
        (
            "documentation",
            &["docs", "doc", "readme", "changelog", "comment", "comments", "spelling", "docstring"],
        ),
        ("security", &["secret", "secrets", "password", "token", "tokens", "credentials", "auth"]),
        ("performance", &["slow", "fast", "performance", "cache", "latency", "memory"]),
        ("debugging", &["debug", "log", "logs", "logging", "error", "errors", "trace"]),
        ("architecture", &["module", "layer", "interface", "database", "schema", "api"]),
        ("integration", &["ci", "deploy", "docker", "webhook"]),
    ];
    let words = content_words(rule);
    let fits =
        |(_, category_words): &&(&str, &[&str])| category_words.iter().any(|word| words.contains(*word));
    CATEGORY_WORDS.iter().find(fits).map_or("workflow", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_warns_is_an_anti_pattern() {
        assert_eq!(bullet_type("Never force-push shared branches."), BulletType::AntiPattern);
        assert_eq!(bullet_type("Always ask before deleting."), BulletType::Rule);
        assert_eq!(bullet_type("Don't mock the database."), BulletType::AntiPattern);
        assert_eq!(bullet_type("不要直接推送到 main 分支。"), BulletType::AntiPattern);
        assert_eq!(bullet_type("Never use npm, always pnpm."), BulletType::Rule);
    }
}

//! Parser for queries: operator precedence, and which parts are required.

use super::lex::{QueryLexer, QueryToken};
use super::{BooleanGroup, Query, QueryNode, TextCondition};
use crate::instant::Instant;

/// Parses a query. Adjacent words are all required if `every` is set, and optional otherwise.
pub(super) fn parse(text: &str, now: Instant, every: bool) -> Query {
    let mut lexer = QueryLexer::new(text, now);
    lexer.run();
    let mut parser = QueryParser { items: &lexer.items, at: 0, dangling: None, every };
    let root = parser.sequence();
    if let Some(operator) = parser.dangling {
        lexer.notice(format!("`{operator}` has no operand on one side: searched without it"));
    }
    let empty = text.trim().is_empty();
    let root = match root {
        Some(root) => root,
        None if empty => QueryNode::Everything,
        // Nothing but operators: their names are words after all.
        None if lexer
            .items
            .iter()
            .any(|item| matches!(item, QueryToken::And | QueryToken::Or | QueryToken::Not)) =>
        {
            QueryNode::Text { field: None, text: TextCondition::Word(text.to_owned()) }
        }
        None => {
            lexer.notice(format!("`{}` has no letters or digits to search for", text.trim()));
            QueryNode::Nothing
        }
    };
    Query { root, notices: lexer.notices }
}

struct QueryParser<'a> {
    items: &'a [QueryToken],
    at: usize,
    dangling: Option<&'static str>,
    every: bool,
}

/// Sign before a part of the query: none, `+` (required) or `-` (excluded).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occurrence {
    None,
    Must,
    Not,
}

impl QueryParser<'_> {
    fn peek(&self) -> Option<&QueryToken> {
        self.items.get(self.at)
    }

    fn next_if(&mut self, item: &QueryToken) -> bool {
        let found = self.peek() == Some(item);
        self.at += usize::from(found);
        found
    }

    /// Parses adjacent parts, up to the closing parenthesis or the end.
    fn sequence(&mut self) -> Option<QueryNode> {
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                None | Some(QueryToken::Close) => break,
                Some(QueryToken::And | QueryToken::Or) => {
                    self.dangling = Some(if self.peek() == Some(&QueryToken::And) { "AND" } else { "OR" });
                    self.at += 1;
                }
                _ => parts.extend(self.either()),
            }
        }
        if let [(Occurrence::None, _)] = parts.as_slice() {
            return parts.pop().map(|(_, node)| node);
        }
        let mut group = BooleanGroup::default();
        let several = parts.len() > 1;
        for (sign, node) in parts {
            match (sign, node) {
                (Occurrence::None, QueryNode::Everything) if several => {}
                (Occurrence::Not, node) => group.not.push(node),
                (_, node) if node.selects() => group.filter.push(node),
                (Occurrence::Must, node) => group.must.push(node),
                (Occurrence::None, node) if node.is_optional() && !self.every => group.should.push(node),
                (Occurrence::None, node) => group.must.push(node),
            }
        }
        (group != BooleanGroup::default()).then_some(QueryNode::Group(group))
    }

    /// Parses parts joined by OR.
    fn either(&mut self) -> Option<(Occurrence, QueryNode)> {
        let first = self.both()?;
        let mut parts = vec![first];
        while self.peek() == Some(&QueryToken::Or) {
            self.at += 1;
            match self.both() {
                Some(part) => parts.push(part),
                None => self.dangling = Some("OR"),
            }
        }
        if parts.len() == 1 {
            return parts.pop();
        }
        let should = parts.into_iter().map(|(sign, node)| signed(sign, node)).collect();
        Some((Occurrence::None, QueryNode::Group(BooleanGroup { should, ..BooleanGroup::default() })))
    }

    /// Parses parts joined by AND.
    fn both(&mut self) -> Option<(Occurrence, QueryNode)> {
        let first = self.unary()?;
        let mut parts = vec![first];
        while self.peek() == Some(&QueryToken::And) {
            self.at += 1;
            match self.unary() {
                Some(part) => parts.push(part),
                None => self.dangling = Some("AND"),
            }
        }
        if parts.len() == 1 {
            return parts.pop();
        }
        let mut group = BooleanGroup::default();
        for (sign, node) in parts {
            match sign {
                Occurrence::Not => group.not.push(node),
                _ if node.selects() => group.filter.push(node),
                _ => group.must.push(node),
            }
        }
        Some((Occurrence::None, QueryNode::Group(group)))
    }

    /// Parses a part with its signs.
    fn unary(&mut self) -> Option<(Occurrence, QueryNode)> {
        let mut sign = Occurrence::None;
        loop {
            if self.next_if(&QueryToken::Not) {
                sign = if sign == Occurrence::Not { Occurrence::None } else { Occurrence::Not };
            } else if self.next_if(&QueryToken::Must) {
                sign = if sign == Occurrence::Not { Occurrence::Not } else { Occurrence::Must };
            } else {
                break;
            }
        }
        let node = match self.peek() {
            Some(QueryToken::Leaf(node)) => {
                let node = node.clone();
                self.at += 1;
                Some(node)
            }
            Some(QueryToken::Open) => {
                self.at += 1;
                let node = self.sequence();
                self.next_if(&QueryToken::Close);
                // An empty pair of parentheses is nothing at all.
                if node.is_none() {
                    return self
                        .peek()
                        .is_some_and(|item| !matches!(item, QueryToken::Close))
                        .then(|| self.unary())?;
                }
                node
            }
            _ => None,
        };
        if node.is_none() && sign != Occurrence::None {
            self.dangling = Some("NOT");
        }
        node.map(|node| (sign, node))
    }
}

fn signed(sign: Occurrence, node: QueryNode) -> QueryNode {
    match sign {
        Occurrence::Not => QueryNode::Group(BooleanGroup { not: vec![node], ..BooleanGroup::default() }),
        Occurrence::None | Occurrence::Must => node,
    }
}

impl QueryNode {
    /// Whether the node only selects and does not affect the ranking.
    fn selects(&self) -> bool {
        match self {
            Self::Text { .. } | Self::Nothing => false,
            Self::Group(group) => {
                group.must.is_empty() && group.should.iter().chain(&group.filter).all(Self::selects)
            }
            _ => true,
        }
    }

    /// Whether the node is optional, so that notes without it can still match another optional
    /// node.
    fn is_optional(&self) -> bool {
        match self {
            Self::Text { field, .. } => field.is_none(),
            Self::Group(group) => {
                let bare = group.must.is_empty() && group.filter.is_empty() && group.not.is_empty();
                bare && group.should.iter().all(Self::is_optional)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn now() -> Instant {
        Instant::parse("2026-11-21T12:00:00Z").unwrap()
    }

    /// Formats the tree on one line: `+` must, `?` should, `=` filter, `-` not.
    fn shown(node: &QueryNode) -> String {
        let parts = |sign: &str, nodes: &[QueryNode]| -> Vec<String> {
            nodes.iter().map(|node| format!("{sign}{}", shown(node))).collect()
        };
        match node {
            QueryNode::Everything => "all".to_owned(),
            QueryNode::Nothing => "none".to_owned(),
            QueryNode::Text { field, text } => {
                let field = field.map_or(String::new(), |field| format!("{field:?}:"));
                let text = match text {
                    TextCondition::Word(word) => word.clone(),
                    TextCondition::Phrase(phrase) => format!("\"{phrase}\""),
                    TextCondition::Prefix(prefix) => format!("{prefix}*"),
                    TextCondition::Fuzzy(word, distance) => format!("{word}~{distance}"),
                };
                field + &text
            }
            QueryNode::Label { label, value, prefix } => {
                format!("{label:?}:{value}{}", if *prefix { "*" } else { "" })
            }
            QueryNode::Path(path) => format!("Path:{path}"),
            QueryNode::Dated { date, from, until } => {
                let side = |at: &Option<Instant>| at.map_or(String::new(), |at| at.day());
                format!("{date:?}:{}..{}", side(from), side(until))
            }
            QueryNode::Importance { least, most } => format!("Importance:{least:.1}..{most:.1}"),
            QueryNode::Group(group) => {
                let all = [
                    parts("+", &group.must),
                    parts("?", &group.should),
                    parts("=", &group.filter),
                    parts("-", &group.not),
                ];
                format!("({})", all.concat().join(" "))
            }
        }
    }

    #[track_caller]
    fn reads(text: &str, expected: &str) {
        let query = parse(text, now(), false);
        assert_eq!((shown(&query.root).as_str(), query.notices), (expected, vec![]), "{text}");
    }

    #[track_caller]
    fn falls_back(text: &str, expected: &str, notice: &str) {
        let query = parse(text, now(), false);
        assert_eq!(shown(&query.root), expected, "{text}");
        assert!(
            query.notices.iter().any(|text_of_notice| text_of_notice.contains(notice)),
            "{text}: {:?}",
            query.notices
        );
    }

    #[test]
    fn words_and_phrases_are_wishes_and_fields_are_needed() {
        reads("", "all");
        reads("  ", "all");
        reads("*", "all");
        reads("socket", "socket");
        reads("socket timeout", "(?socket ?timeout)");
        reads("+socket timeout", "(+socket ?timeout)");
        reads("\"connection reset\" tcp", "(?\"connection reset\" ?tcp)");
        reads("+\"connection reset\" tcp", "(+\"connection reset\" ?tcp)");
        reads("title:socket tcp", "(+Title:socket ?tcp)");
        reads("title:\"socket reset\"", "Title:\"socket reset\"");
        reads("sock* sokcet~1 word~ word~2", "(?sock* ?sokcet~1 ?word~1 ?word~2)");
    }

    #[test]
    fn conditions_select_without_ranking() {
        reads("type:fix socket", "(?socket =Type:fix)");
        reads("type:fix,solution", "(?Type:fix ?Type:solution)");
        reads("tag:Rust -tag:draft", "(=Tag:rust -Tag:draft)");
        reads("tag:#rust tags:web*", "(=Tag:rust =Tag:web*)");
        reads("is:pinned is:bullet", "(=Pinned:true =Kind:bullet)");
        reads("folder:graph/fixes/ path:socket", "(=Folder:graph/fixes =Path:socket)");
        reads("id:5ad2", "Id:5ad2*");
        reads("author:\"Ada Lovelace\"", "Author:ada lovelace");
        reads("created:>2026-01-01 updated:30d", "(=Created:2026-01-02.. =Updated:2026-10-22..)");
        reads("created:2026-01-01..2026-02-01", "Created:2026-01-01..2026-02-02");
        reads("importance:>=0.5", "Importance:0.5..inf");
        reads("type:code-pattern", "Type:code_pattern");
        reads("[status:Open] socket", "(?socket =Property:status:open)");
        reads("-[status:in progress]", "(-Property:status:in progress)");
        reads("[type:fix]", "Type:fix");
        for text in ["[x]", "[[a:b]]", "[12:30]", "[std::fs]", "[http://x.y]", "[a:b](c)", "x[a:b]"] {
            assert!(!shown(&parse(text, now(), false).root).contains("Property"), "{text}");
        }
        assert!(!parse("type:fix -draft", now(), false).ranks());
        assert!(parse("type:fix draft", now(), false).ranks());
    }

    #[test]
    fn operators_bind_not_before_and_before_or_before_neighbours() {
        reads("a AND b", "(+a +b)");
        reads("a OR b AND c", "(?a ?(+b +c))");
        reads("(a OR b) AND c", "(+(?a ?b) +c)");
        reads("a AND NOT b", "(+a -b)");
        reads("a NOT b", "(?a -b)");
        reads("NOT NOT a", "a");
        reads("-(a b)", "(-(?a ?b))");
        reads("x a AND b", "(+(+a +b) ?x)");
        reads("x a OR b", "(?x ?(?a ?b))");
        reads("type:fix OR tag:a", "(?Type:fix ?Tag:a)");
        reads("x (type:fix OR tag:a)", "(?x =(?Type:fix ?Tag:a))");
        reads("a OR -draft", "(?a ?(-draft))");
        reads("git -c commit", "(?git ?-c ?commit)");
        reads("what is -c?", "(?what ?is ?-c?)");
        reads("head -5 +x", "(+x ?head ?-5)");
        reads("-draft", "(-draft)");
        reads("type:fix AND a", "(+a =Type:fix)");
    }

    #[test]
    fn code_is_words() {
        for text in [
            "--no-verify",
            "std::fs",
            "http://x.y/z",
            "C++",
            "a:b",
            "main()",
            "12:30",
            "C:\\x",
            "foo(bar",
            "x=1",
        ] {
            reads(text, text);
        }
        reads("(main())", "main()");
        reads("(foo)", "foo");
        reads("a - b => :: c", "(?a ?b ?c)");
    }

    #[test]
    fn what_makes_no_sense_falls_back_to_its_words_with_a_notice() {
        falls_back("\"a b", "(?a ?b)", "not closed");
        falls_back("(a b", "(?a ?b)", "not closed");
        falls_back("a (b c))", "(?a ?(?b ?c))", "without `(`");
        falls_back("a AND", "a", "`AND` has no operand");
        falls_back("OR a", "a", "`OR` has no operand");
        falls_back("a NOT", "a", "`NOT` has no operand");
        falls_back("AND", "AND", "`AND` has no operand");
        falls_back("created:soon", "created soon", "not a date");
        falls_back("importance:high", "importance high", "not a number");
        falls_back("is:orphan", "is orphan", "unknown");
        falls_back("titel:x", "titel:x", "did you mean `title:`");
        falls_back("title:", "title ", "no value");
        falls_back("->", "none", "no letters");
        falls_back(&"(".repeat(99), "none", "too deeply");
        falls_back(&"a ".repeat(999), &format!("({})", vec!["?a"; 256].join(" ")), "first 256");
    }

    proptest! {
        #[test]
        fn any_text_is_a_query(text in "\\PC*|[a-z\"()*~:+ -]{0,40}|((AND|OR|NOT|\\(|\\)|-|\"|a|tag:|created:>|title:\"|\\+) ?){0,20}") {
            let query = parse(&text, now(), false);
            prop_assert!(query.notices.len() < 40);
            let _ = (query.ranks(), query.texts());
        }
    }
}

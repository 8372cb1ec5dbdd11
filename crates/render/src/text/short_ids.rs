//! Ids shortened to what is unique in one answer.

use super::style::safe;

/// Ids of one answer.
pub struct ShortIds(Vec<String>);

impl ShortIds {
    /// Takes all ids that the answer shows.
    pub fn of<'i>(ids: impl IntoIterator<Item = &'i str>) -> Self {
        let mut sorted: Vec<String> = ids.into_iter().map(str::to_owned).collect();
        sorted.sort_unstable();
        sorted.dedup();
        Self(sorted)
    }

    /// The shortest beginning of a UUID that no other id of the answer has, but at least 8 characters. Other
    /// ids and paths are shown whole: those of bullets made in the same second share their beginning with
    /// bullets that the answer does not show.
    pub fn shown(&self, id: &str) -> String {
        if uuid::Uuid::try_parse(id).is_err() {
            return safe(id);
        }
        // In a sorted list the id with the longest common beginning is a neighbour.
        let place = self.0.partition_point(|other| other.as_str() < id);
        let after = self.0[place..].iter().find(|other| *other != id);
        let neighbours = self.0[..place].last().into_iter().chain(after);
        let common = |other: &String| other.chars().zip(id.chars()).take_while(|(a, b)| a == b).count();
        let distinct = neighbours.map(common).max().unwrap_or(0) + 1;
        safe(id).chars().take(distinct.max(8)).collect()
    }
}

/// The first 8 characters of a UUID; other ids and paths verbatim.
pub fn shown_id(id: &str) -> String {
    if uuid::Uuid::try_parse(id).is_ok() { id[..8].to_owned() } else { id.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_as_long_as_they_must_be_to_differ() {
        let ids = [
            "0192aaaa-0000-7000-8000-000000000001",
            "0192aaaa-0000-7000-8000-000000000002",
            "0192aaaa-bbbb-7000-8000-000000000001",
            "1f0c2a00-0000-4000-8000-000000000001",
            "b-mt2ssunl-jq6d8j",
            "b-mt2ssunl-jq6d9k",
            "b-9",
            "notes/a.md",
        ];
        let short = ShortIds::of(ids);
        assert_eq!(
            ids.map(|id| short.shown(id)),
            [
                "0192aaaa-0000-7000-8000-000000000001",
                "0192aaaa-0000-7000-8000-000000000002",
                "0192aaaa-b",
                "1f0c2a00",
                "b-mt2ssunl-jq6d8j",
                "b-mt2ssunl-jq6d9k",
                "b-9",
                "notes/a.md",
            ]
        );
    }

    #[test]
    fn an_id_that_stands_twice_is_short() {
        let id = "1f0c2a00-0000-4000-8000-000000000001";
        assert_eq!(ShortIds::of([id, id]).shown(id), "1f0c2a00");
    }
}

//! Sections that programs write into a person's file, such as the playbook in AGENTS.md. They are
//! taken from one side as a whole, and only the text around them is merged.

use std::ops::Range;

use cm_note::markdown::managed_section::ManagedSection;

use crate::three_way::one_sided;

/// Three texts without the content of their sections, and the section of the result.
pub(crate) struct WithoutSections {
    pub texts: [String; 3],
    section: String,
}

const SECTIONS: [ManagedSection; 2] = [
    ManagedSection {
        opening: "<!-- cm:begin playbook -->",
        opens: |line| line.starts_with("<!-- cm:begin playbook") && line.ends_with("-->"),
        closing: "<!-- cm:end playbook -->",
    },
    ManagedSection {
        opening: "<!-- MEMORY:START -->",
        opens: |line| line == "<!-- MEMORY:START -->",
        closing: "<!-- MEMORY:END -->",
    },
];

impl WithoutSections {
    /// Separates a section from three texts; `None` if not both sides have it once.
    pub fn of(base: &str, ours: &str, theirs: &str) -> Option<Self> {
        SECTIONS.iter().find_map(|section| {
            let find = |text: &str| section.find(text).ok().flatten();
            let (our, their) = (find(ours)?, find(theirs)?);
            let old = find(base);
            let without = |text: &str, range: &Range<usize>| {
                format!("{}{}{}", &text[..range.start], section.closing, &text[range.end..])
            };
            let [our_text, their_text] = [&ours[our.clone()], &theirs[their.clone()]];
            let old_text = old.clone().map_or("", |range| &base[range]);
            Some(Self {
                texts: [
                    old.map_or_else(|| base.to_owned(), |range| without(base, &range)),
                    without(ours, &our),
                    without(theirs, &their),
                ],
                section: one_sided(&old_text, our_text, their_text)
                    .unwrap_or(our_text.max(their_text))
                    .to_owned(),
            })
        })
    }

    /// Puts the section back; `None` if its place was lost.
    pub fn restore(&self, text: &str) -> Option<String> {
        let closing = SECTIONS
            .map(|section| section.closing)
            .into_iter()
            .find(|closing| self.section.ends_with(closing))?;
        let mut parts = text.split(closing);
        let (before, after) = (parts.next()?, parts.next()?);
        parts.next().is_none().then(|| format!("{before}{}{after}", self.section))
    }
}

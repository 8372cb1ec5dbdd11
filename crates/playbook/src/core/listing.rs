//! Shortens a core file when notes that it lists go out of use, without generating it again.

use cm_note::bullet::Bullet;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_note::score::Scoring;
use cm_note::score::bullet::selection_score;
use cm_text::plural::count;

use super::entry::held_back;

/// Phrase in the header of every core file that `cm core` wrote.
const WRITTEN_BY: &str = " by `cm core`; ";
/// Number of lines of the header.
const HEADER_LINES: usize = 4;
/// Heading of the section of entries with a low score.
const FADING: &str = "## Fading";

/// Whether a core file may list the note, judged by the note alone: another note may still
/// supersede it.
pub fn may_be_listed(note: &Note, now: Instant, scoring: &Scoring) -> bool {
    let is_harmful = |bullet: Bullet| !bullet.pinned && selection_score(&bullet, now, scoring).value() < 0.0;
    note.condensed_into.is_empty()
        && !note.is_retired()
        && note.staleness().is_none()
        && !note.is_waiting()
        && held_back(note).is_none()
        && !(note.kind == NoteKind::Bullet && Bullet::of(note).is_some_and(is_harmful))
}

/// Whether the text is a core file that `cm core` wrote. A person may write a file of their own in its place.
pub fn is_generated_core(text: &str) -> bool {
    text.lines().nth(2).is_some_and(|line| line.starts_with("> ") && line.contains(WRITTEN_BY))
}

/// Removes the entries of notes that went out of use; `gone` returns the kind of such a note for its
/// line. Sections without entries are removed, and the figures of the header are reduced. Returns
/// `None` if no line is removed, and for a file that `cm core` did not write.
pub fn without_entries(core: &str, gone: impl Fn(&str) -> Option<NoteKind>) -> Option<String> {
    if !is_generated_core(core) {
        return None;
    }
    let (mut lines, mut section) = (Vec::new(), "");
    let (mut removed, mut fading) = (Vec::new(), 0);
    for line in core.split_inclusive('\n') {
        if line.starts_with("## ") {
            section = line.trim_end();
        }
        match gone(line.trim_end()).filter(|_| line.starts_with("- ")) {
            Some(kind) => {
                removed.push(kind);
                fading += usize::from(section == FADING);
            }
            None => lines.push(line),
        }
    }
    if removed.is_empty() {
        return None;
    }
    let mut text = String::with_capacity(core.len());
    for (at, line) in without_empty_sections(&lines).into_iter().enumerate() {
        match at + 1 == HEADER_LINES {
            true => text += &reduced(line, &removed, fading).unwrap_or_else(|| line.to_owned()),
            false => text += line,
        }
    }
    Some(text)
}

/// Leaves out headings that no entry follows, with the blank lines around them.
fn without_empty_sections<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let is_blank = |line: &&str| line.trim().is_empty();
    let mut remaining: Vec<&str> = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let next = lines[at + 1..].iter().find(|line| !is_blank(line));
        let is_empty_section = line.starts_with("## ") && next.is_none_or(|next| next.starts_with("## "));
        let follows_blank = remaining.last().is_some_and(is_blank);
        if !is_empty_section && !(is_blank(line) && (follows_blank || next.is_none())) {
            remaining.push(line);
        }
    }
    remaining
}

/// Reduces the figures of the header, such as "> 3 memories, 2 rules in use; 5 listed, 1 of them
/// fading. Nothing left out."; `None` if the line has another form.
fn reduced(line: &str, removed: &[NoteKind], fading: usize) -> Option<String> {
    let (counts, rest) = line.strip_prefix("> ")?.split_once("; ")?;
    let (listed, rest) = rest.split_once(" listed")?;
    let listed = listed.parse::<usize>().ok()?.checked_sub(removed.len())?;
    let of = |is: &dyn Fn(NoteKind) -> bool| removed.iter().filter(|kind| is(**kind)).count();
    let is_rule = |kind| kind == NoteKind::Bullet;
    let is_plain = |kind| kind == NoteKind::Plain;
    let mut parts = Vec::new();
    for part in counts.split(", ") {
        let (number, noun) = part.split_once(' ')?;
        let (noun, after, fewer) = match noun {
            _ if noun.starts_with("rule") => ("rule", " in use", of(&is_rule)),
            _ if noun.starts_with("plain") => ("plain note", "", of(&is_plain)),
            _ => ("memory", "", of(&|kind| !is_rule(kind) && !is_plain(kind))),
        };
        let number = number.parse::<usize>().ok()?.checked_sub(fewer)?;
        parts.extend((number > 0).then(|| count(number, noun) + after));
    }
    let counts = if parts.is_empty() { count(0, "memory") } else { parts.join(", ") };
    let rest = match rest.strip_prefix(", ").and_then(|rest| rest.split_once(" of them fading")) {
        Some((number, rest)) => match number.parse::<usize>().ok()?.checked_sub(fading)? {
            0 => rest.to_owned(),
            number => format!(", {number} of them fading{rest}"),
        },
        None => rest.to_owned(),
    };
    Some(format!("> {counts}; {listed} listed{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORE: &str = "# Core memory\n\n> Written 2026-11-21 by `cm core`; changes by hand are lost.\n\
                        > 2 memories, 1 rule in use; 3 listed, 1 of them fading. Nothing left out.\n\n\
                        ## Active Decisions\n\n- [Postgres](graph/decisions/p.md)\n\n## Rules\n\n\
                        - Run all tests. `b-1-a`\n\n## Fading\n\n- Old `0a1b2c3d`\n";

    #[test]
    fn removed_entries_leave_no_empty_section_and_fewer_in_the_header() {
        let gone = |line: &str| match line {
            "- Run all tests. `b-1-a`" => Some(NoteKind::Bullet),
            "- Old `0a1b2c3d`" => Some(NoteKind::Memory),
            _ => None,
        };
        insta::assert_snapshot!(without_entries(CORE, gone).unwrap(), @r"
        # Core memory

        > Written 2026-11-21 by `cm core`; changes by hand are lost.
        > 1 memory; 1 listed. Nothing left out.

        ## Active Decisions

        - [Postgres](graph/decisions/p.md)
        ");
        let all = without_entries(CORE, |_| Some(NoteKind::Memory)).unwrap();
        assert!(!all.contains("## ") && !all.contains("Postgres"), "{all}");
        assert_eq!(without_entries(CORE, |_| None), None);
        let own = CORE.replace(" by `cm core`", "");
        assert_eq!(without_entries(&own, |_| Some(NoteKind::Memory)), None);
    }
}

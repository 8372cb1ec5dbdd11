//! Synthetic graphs with planted communities, for tests and measurements.

use crate::layout::MapNode;

/// A graph whose notes belong to planted topics.
pub struct SampleGraph {
    pub ids: Vec<String>,
    pub titles: Vec<String>,
    pub tags: Vec<Vec<String>>,
    /// Planted topic of each note; `None` for a note without edges.
    pub topics: Vec<Option<u32>>,
    pub edges: Vec<(u32, u32, f32)>,
}

const TYPES: [&str; 8] =
    ["solution", "fix", "decision", "configuration", "problem", "workflow", "error", "insight"];
const STATES: [&str; 6] = ["", "", "", "candidate", "established", "proven"];
/// Time of the oldest change.
const EPOCH: i64 = 1_735_689_600;

/// Generates `count` notes in topics of 20 to 240 notes with three edges a note; 80 % of the edges
/// stay within their topic, most of the others in a group of eight topics, and 4 % of the notes
/// have none. The same arguments give the same graph.
pub fn planted(count: usize, seed: u64) -> SampleGraph {
    let mut random = Sequence(seed);
    let mut topics = Vec::with_capacity(count);
    let mut starts = Vec::new();
    while topics.len() < count {
        let size = (20 + random.below(220)).min(count - topics.len());
        starts.push((topics.len(), size));
        let topic = starts.len() as u32 - 1;
        topics.extend((0..size).map(|_| (random.below(25) > 0).then_some(topic)));
    }
    let mut edges = Vec::with_capacity(count * 3);
    for note in 0..count {
        let Some(topic) = topics[note] else { continue };
        for _ in 0..3 {
            let place = random.below(100);
            let near = (topic as usize / 8 * 8 + random.below(8)).min(starts.len() - 1);
            let to = match place {
                0..80 => topic as usize,
                80..95 => near,
                _ => random.below(starts.len()),
            };
            let (first, size) = starts[to];
            // Towards the first notes of a topic, so that some are hubs.
            let other = first + random.below(size).min(random.below(size));
            if topics[other].is_some() && other != note {
                edges.push((note as u32, other as u32, 0.5 + random.below(6) as f32 / 10.0));
            }
        }
    }
    let ids: Vec<String> =
        (0..count).map(|_| format!("{:016x}{:016x}", random.next(), random.next())).collect();
    let titles = (0..count).map(|note| format!("note {note}")).collect();
    let tags =
        topics.iter().map(|topic| topic.iter().map(|topic| format!("topic-{topic}")).collect()).collect();
    SampleGraph { ids, titles, tags, topics, edges }
}

impl SampleGraph {
    /// The notes as input of the layout.
    pub fn nodes(&self) -> Vec<MapNode<'_>> {
        let mut random = Sequence(7);
        (0..self.ids.len())
            .map(|at| MapNode {
                id: &self.ids[at],
                title: &self.titles[at],
                tags: &self.tags[at],
                kind: TYPES[random.below(TYPES.len()).min(random.below(TYPES.len()))],
                state: STATES[random.below(STATES.len())],
                changed: Some(EPOCH + random.below(600 * 86_400) as i64),
            })
            .collect()
    }
}

/// A deterministic sequence of numbers (SplitMix64).
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is at least 1.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

//! Arranges discs on a plane: linked discs near each other, none over another.

use std::f64::consts::TAU;

/// A circle, in units of about half the distance between two notes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disc {
    pub x: f64,
    pub y: f64,
    pub radius: f64,
}

impl Disc {
    /// Distance between the borders of two discs; negative if they overlap.
    pub fn gap(&self, other: &Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y) - self.radius - other.radius
    }
}

/// The golden angle, by which each place of a sunflower spiral turns against the one before.
pub(crate) const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
/// Number of forces that the layout computes in total; with more discs there are fewer rounds.
const FORCE_BUDGET: usize = 4_000_000;
const MAX_ROUNDS: usize = 160;
/// Angles, relative to the preferred one, at which a disc may come to lie.
const TURNS: [f64; 13] = [0.0, 0.08, -0.08, 0.18, -0.18, 0.3, -0.3, 0.45, -0.45, 0.65, -0.65, 0.9, -0.9];
/// Cost of a turn by one radian, as a share of the distance from the centre.
const TURN_COST: f64 = 0.25;

/// Number of times that every disc may move nearer, and of directions that are tried.
const COMPACT_ROUNDS: usize = 3;
const COMPACT_DIRECTIONS: u32 = 40;
/// Cost of the mean distance from linked discs, against the distance from the centre.
const LINK_COST: f64 = 0.7;

/// Returns the centres of discs with these radii around a common centre, at least `gap` apart.
/// `links` join discs that belong together, with a positive weight.
pub(crate) fn arrange(radii: &[f64], links: &[(u32, u32, f32)], gap: f64) -> Vec<[f64; 2]> {
    let force_places = forces(radii, links, gap);
    let mut order: Vec<usize> = (0..radii.len()).collect();
    let distance = |disc: usize| force_places[disc][0].hypot(force_places[disc][1]) - radii[disc];
    order.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b)));
    let mut placed: Vec<Disc> = Vec::with_capacity(radii.len());
    let mut discs = vec![Disc { x: 0.0, y: 0.0, radius: 0.0 }; radii.len()];
    for disc in order {
        let angle = force_places[disc][1].atan2(force_places[disc][0]);
        let candidates = TURNS.map(|turn| (turn, angle + turn));
        let [x, y] = first_free(&placed, radii[disc], gap, &candidates);
        discs[disc] = Disc { x, y, radius: radii[disc] };
        placed.push(discs[disc]);
    }
    compact(&mut discs, links, gap);
    discs.iter().map(|disc| [disc.x, disc.y]).collect()
}

/// Moves discs, the outermost first, into holes nearer to the centre and to the discs that they are
/// linked with.
fn compact(discs: &mut [Disc], links: &[(u32, u32, f32)], gap: f64) {
    let mut linked: Vec<Vec<(usize, f64)>> = vec![Vec::new(); discs.len()];
    for (a, b, w) in links {
        linked[*a as usize].push((*b as usize, f64::from(*w)));
        linked[*b as usize].push((*a as usize, f64::from(*w)));
    }
    for _ in 0..COMPACT_ROUNDS {
        let mut order: Vec<usize> = (0..discs.len()).collect();
        let distance = |disc: usize| discs[disc].x.hypot(discs[disc].y) + discs[disc].radius;
        order.sort_by(|a, b| distance(*b).total_cmp(&distance(*a)).then(a.cmp(b)));
        for at in order {
            let own = discs[at];
            let others: Vec<Disc> =
                discs.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, disc)| *disc).collect();
            let cost = |[x, y]: [f64; 2], discs: &[Disc]| {
                let weight: f64 = linked[at].iter().map(|(_, w)| w).sum();
                let far = |(other, w): &(usize, f64)| w * (x - discs[*other].x).hypot(y - discs[*other].y);
                x.hypot(y) + LINK_COST * linked[at].iter().map(far).sum::<f64>() / weight.max(1e-9)
            };
            let places = (0..COMPACT_DIRECTIONS).map(|step| {
                let angle = TAU * f64::from(step) / f64::from(COMPACT_DIRECTIONS);
                first_free(&others, own.radius, gap, &[(0.0, angle)])
            });
            let best = places.min_by(|a, b| cost(*a, discs).total_cmp(&cost(*b, discs)));
            if let Some(best) = best.filter(|best| cost(*best, discs) < cost([own.x, own.y], discs) - 1e-6) {
                discs[at] = Disc { x: best[0], y: best[1], ..own };
            }
        }
    }
}

/// Returns the place nearest to the centre in any direction where a further disc fits.
pub(crate) fn outermost_free(placed: &[Disc], radius: f64, gap: f64) -> [f64; 2] {
    let directions: Vec<(f64, f64)> = (0..48).map(|step| (0.0, TAU * f64::from(step) / 48.0)).collect();
    first_free(placed, radius, gap, &directions)
}

/// Returns the smallest disc around others, approximately.
pub(crate) fn enclosing(discs: &[Disc]) -> Disc {
    let mut centre = [0.0, 0.0];
    let reach = |centre: [f64; 2], disc: &Disc| (disc.x - centre[0]).hypot(disc.y - centre[1]) + disc.radius;
    let mut step = 0.5;
    for _ in 0..60 {
        let Some(far) = discs.iter().max_by(|a, b| reach(centre, a).total_cmp(&reach(centre, b))) else {
            break;
        };
        let length = (far.x - centre[0]).hypot(far.y - centre[1]).max(1e-9);
        let pull = step * (reach(centre, far) - far.radius) / length;
        centre = [centre[0] + (far.x - centre[0]) * pull, centre[1] + (far.y - centre[1]) * pull];
        step *= 0.88;
    }
    let radius = discs.iter().map(|disc| reach(centre, disc)).fold(0.0, f64::max);
    Disc { x: centre[0], y: centre[1], radius }
}

/// Rough places from forces: discs repel each other, links and the centre attract.
fn forces(radii: &[f64], links: &[(u32, u32, f32)], gap: f64) -> Vec<[f64; 2]> {
    let count = radii.len();
    let unit = radii.iter().sum::<f64>() / count.max(1) as f64 + gap;
    let mut places: Vec<[f64; 2]> = (0..count)
        .map(|at| {
            let (distance, angle) = (2.0 * unit * (at as f64 + 0.5).sqrt(), at as f64 * GOLDEN_ANGLE);
            [distance * angle.cos(), distance * angle.sin()]
        })
        .collect();
    let mut heaviest = vec![f64::MIN_POSITIVE; count];
    for (a, b, w) in links {
        for end in [*a as usize, *b as usize] {
            heaviest[end] = heaviest[end].max(f64::from(*w));
        }
    }
    let rounds = (FORCE_BUDGET / (count * count).max(1)).clamp(4, MAX_ROUNDS);
    for round in 0..rounds {
        let limit = 2.0 * unit * (1.0 - round as f64 / rounds as f64);
        let mut pushes = repulsion(&places, radii, gap);
        for (a, b, w) in links {
            let (a, b) = (*a as usize, *b as usize);
            let [x, y] = [places[b][0] - places[a][0], places[b][1] - places[a][1]];
            let apart = (x.hypot(y) - radii[a] - radii[b] - gap).max(0.0) / x.hypot(y).max(1e-9);
            for (end, sign) in [(a, 1.0), (b, -1.0)] {
                let pull = sign * 0.12 * apart * f64::from(*w) / heaviest[end];
                pushes[end] = [pushes[end][0] + x * pull, pushes[end][1] + y * pull];
            }
        }
        for (place, [x, y]) in places.iter_mut().zip(pushes) {
            let [x, y] = [x - 0.02 * place[0], y - 0.02 * place[1]];
            let scale = limit / x.hypot(y).max(limit).max(1e-9);
            *place = [place[0] + x * scale, place[1] + y * scale];
        }
    }
    places
}

/// Sum of the pushes on each disc by all others.
fn repulsion(places: &[[f64; 2]], radii: &[f64], gap: f64) -> Vec<[f64; 2]> {
    let mut pushes = vec![[0.0; 2]; places.len()];
    for a in 0..places.len() {
        for b in a + 1..places.len() {
            let [x, y] = [places[a][0] - places[b][0], places[a][1] - places[b][1]];
            let near = radii[a] + radii[b] + gap;
            let square = (x * x + y * y).max(1e-6 * near * near);
            if square > 16.0 * near * near {
                continue;
            }
            let push = 0.35 * near * near / square;
            pushes[a] = [pushes[a][0] + x * push, pushes[a][1] + y * push];
            pushes[b] = [pushes[b][0] - x * push, pushes[b][1] - y * push];
        }
    }
    pushes
}

/// Tries directions, each a turn against the preferred angle and the angle itself. Returns the
/// place with the least distance from the centre, turns counted as distance.
fn first_free(placed: &[Disc], radius: f64, gap: f64, directions: &[(f64, f64)]) -> [f64; 2] {
    let mut best = ([0.0, 0.0], f64::INFINITY);
    for (turn, angle) in directions {
        let [x, y] = [angle.cos(), angle.sin()];
        let distance = free_distance(placed, radius + gap, [x, y]);
        let cost = distance * (1.0 + TURN_COST * turn.abs());
        if cost < best.1 - 1e-9 {
            best = ([x * distance, y * distance], cost);
        }
    }
    best.0
}

/// Least distance from the centre, along a direction of length 1, at which a disc is clear of all
/// placed ones.
fn free_distance(placed: &[Disc], reach: f64, [x, y]: [f64; 2]) -> f64 {
    let mut blocked: Vec<(f64, f64)> = Vec::new();
    for disc in placed {
        let along = disc.x * x + disc.y * y;
        let across = disc.x * disc.x + disc.y * disc.y - along * along;
        let both = disc.radius + reach;
        if across < both * both {
            let half = (both * both - across.max(0.0)).sqrt();
            if along + half > 0.0 {
                blocked.push((along - half, along + half));
            }
        }
    }
    blocked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut free = 0.0;
    for (from, to) in blocked {
        if from >= free {
            break;
        }
        free = f64::max(free, to);
    }
    free
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_two_discs_overlap_and_the_enclosing_disc_has_them_all(
            radii in proptest::collection::vec(0.5_f64..30.0, 1..60),
            links in proptest::collection::vec((0_u32..60, 0_u32..60, 0.1_f32..9.0), 0..90),
        ) {
            let links: Vec<_> = links.into_iter()
                .filter(|(a, b, _)| a != b && (*a.max(b) as usize) < radii.len()).collect();
            let discs: Vec<Disc> = arrange(&radii, &links, 1.0).into_iter().zip(&radii)
                .map(|([x, y], radius)| Disc { x, y, radius: *radius }).collect();
            for (at, disc) in discs.iter().enumerate() {
                prop_assert!(discs[..at].iter().all(|other| disc.gap(other) > 0.999));
            }
            let around = enclosing(&discs);
            for disc in &discs {
                let reach = (disc.x - around.x).hypot(disc.y - around.y) + disc.radius;
                prop_assert!(reach <= around.radius + 1e-6);
            }
        }
    }

    #[test]
    fn linked_discs_lie_nearer_than_others() {
        let links: Vec<(u32, u32, f32)> = (0..40)
            .flat_map(|a| (a + 1..40).filter(move |b| a % 4 == b % 4).map(move |b| (a, b, 1.0)))
            .collect();
        let places = arrange(&[2.0; 40], &links, 1.0);
        let distance = |a: usize, b: usize| (places[a][0] - places[b][0]).hypot(places[a][1] - places[b][1]);
        let mean = |linked: bool| {
            let pairs = (0..40).flat_map(|a| (a + 1..40).map(move |b| (a, b)));
            let chosen: Vec<f64> =
                pairs.filter(|(a, b)| (a % 4 == b % 4) == linked).map(|(a, b)| distance(a, b)).collect();
            chosen.iter().sum::<f64>() / chosen.len() as f64
        };
        assert!(mean(true) < 0.75 * mean(false), "{} against {}", mean(true), mean(false));
    }
}

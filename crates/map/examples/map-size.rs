//! Prints how much processor time the map of N synthetic notes takes, and how large it is.
//!
//!     cargo run --release -p cm-map --example map-size -- 100000 [FILE]
//!
//! With FILE, the compressed map is written to it.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a measurement prints and writes")]

use std::time::Instant;

use cm_map::{compressed, encoded, layout, sample::planted};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().as_deref().unwrap_or("100000").parse()?;
    let sample = planted(count, 1);
    let nodes = sample.nodes();
    let start = Instant::now();
    let map = layout(&nodes, &sample.edges);
    let placed = start.elapsed();
    let bytes = encoded(&map, &nodes);
    let packed = compressed(&bytes);
    println!(
        "{count} notes, {} edges: {} regions, {} communities; layout {} ms, encoding {} ms, {} bytes, {} compressed",
        sample.edges.len(),
        map.regions.len(),
        map.communities.len(),
        placed.as_millis(),
        (start.elapsed() - placed).as_millis(),
        bytes.len(),
        packed.len(),
    );
    if let Some(file) = arguments.next() {
        std::fs::write(file, packed)?;
    }
    Ok(())
}

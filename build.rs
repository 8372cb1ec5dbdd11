//! Links the debug program to a fixed address. The tests start it some ten thousand times, and applying its half million
//! relocations would take two thirds of each start.
#![expect(clippy::disallowed_methods, reason = "cargo passes the profile and the target in the environment")]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

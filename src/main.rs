//! Entry point of the `cm` program; all code is in the library.

/// Commands spend much of their time allocating small strings, which mimalloc does faster than the
/// system allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cm::cli::run(std::env::args_os())
}

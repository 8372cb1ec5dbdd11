//! The program: everything is in the library.

/// Half of what a command does is to make and drop small strings; this allocator is the faster at it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cm::cli::run(std::env::args_os())
}

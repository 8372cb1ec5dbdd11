//! The program: everything is in the library.

fn main() -> std::process::ExitCode {
    cm::cli::run(std::env::args_os())
}

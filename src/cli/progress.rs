//! Progress of long work on stderr: a bar on a terminal, otherwise a line every ten seconds.

use std::cell::Cell;
use std::fmt;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use cm_app::Progress;
use cm_render::text::style::one_line;

/// Time between two lines where stderr is no terminal.
const PAUSE_BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Shows how much is done, the rate and the remaining time, until it is dropped.
#[derive(Debug)]
pub struct ProgressDisplay {
    bar: ProgressBar,
    /// What is counted, such as `logs`.
    what: &'static str,
    /// Time of the latest line, or of the first report; the outer `None` prints no lines.
    latest: Option<Cell<Option<Instant>>>,
}

impl ProgressDisplay {
    /// Shows nothing if `is_silent`.
    pub fn new(what: &'static str, is_silent: bool) -> Self {
        let watched = !is_silent && io::stderr().is_terminal();
        let target =
            if watched { ProgressDrawTarget::stderr_with_hz(4) } else { ProgressDrawTarget::hidden() };
        let template =
            format!("{{bar:20}} {{pos}} of {{len}} {what}  {{rate}} a second, {{eta}} left  {{wide_msg}}");
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let style = style.with_key("rate", |state: &ProgressState, to: &mut dyn fmt::Write| {
            // Nothing can be done about a display that cannot be written to.
            let _ = write!(to, "{}", Rate(state.per_sec()));
        });
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style.progress_chars("━╸─"));
        let latest = (!is_silent && !watched).then(|| Cell::new(None));
        Self { bar, what, latest }
    }

    /// Shows the amount that is done and the current item, which may be empty.
    pub fn show(&self, at: Progress, current: &str) {
        self.bar.set_length(at.total as u64);
        self.bar.set_message(one_line(current));
        self.bar.set_position(at.done as u64);
        let Some(latest) = self.latest.as_ref().filter(|_| at.total > 0) else { return };
        match latest.get() {
            Some(instant) if instant.elapsed() < PAUSE_BETWEEN_LINES => {}
            last_report => {
                latest.set(Some(Instant::now()));
                // The first report comes too early to tell a rate.
                if last_report.is_some() {
                    anstream::eprintln!("{}", line(at, self.what, self.bar.elapsed()));
                }
            }
        }
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// One line, with rate and remaining time if they can be estimated.
fn line(at: Progress, what: &str, elapsed: Duration) -> String {
    let counted = format!("{} of {} {what}", at.done, at.total);
    if at.done == 0 || elapsed.is_zero() {
        return counted;
    }
    let rate = at.done as f64 / elapsed.as_secs_f64();
    let rest = Duration::from_secs_f64(at.total.saturating_sub(at.done) as f64 / rate);
    format!("{counted}, {} a second, about {} left", Rate(rate), HumanDuration(rest))
}

/// Amount per second: a whole number from 10 on, else with one decimal.
struct Rate(f64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.*}", usize::from(self.0 < 10.0), self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_rate_and_rest_once_something_is_done() {
        let at = |done| Progress { done, total: 300 };
        assert_eq!(line(at(0), "sessions", Duration::from_secs(10)), "0 of 300 sessions");
        assert_eq!(
            line(at(60), "sessions", Duration::from_secs(30)),
            "60 of 300 sessions, 2.0 a second, about 2 minutes left"
        );
    }
}

//! The bar that long commands show.

use indicatif::{ProgressBar, ProgressStyle};

/// The bar of a command that takes so many steps.
pub(crate) fn progress(steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {eta}") {
        bar.set_style(style);
    }
    bar
}

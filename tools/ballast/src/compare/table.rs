//! Comparisons as Markdown tables.

use std::fmt::Write as _;

use super::methods::{Row, Run};
use super::{Args, Comparison};
use crate::statistics::mean_and_deviation;

const HEAD: &str = "| who | step ms | alone ms | bound ms | gap % | peak MB | cap used % | mean % | tmax/tmin | recomputed | swapped MB | s |\n\
                    |---|---|---|---|---|---|---|---|---|---|---|---|\n";

/// All comparisons, with the command that made them.
pub(super) fn markdown(comparisons: &[Comparison], args: &Args) -> String {
    let command = {
        let names: Vec<&str> = comparisons.iter().map(|comparison| comparison.program.as_str()).collect();
        let cap = if args.cap.is_empty() { String::new() } else { format!(" --cap {}", args.cap) };
        format!(
            "ballast compare {} --devices {}{cap} --time-limit {} --seeds {} --threads {}",
            names.join(" "),
            args.devices,
            args.time_limit,
            args.seeds,
            args.threads
        )
    };
    let mut text = format!(
        "# Methods compared\n\n`{command}`\n\nStep: seconds of the slowest stage, mean ± standard deviation over the \
         seeds where the method has one. Alone: what the partitioner\nproposes by itself, before memory is planned; \
         plans start from dynamic programming and may keep its cut. Bound: that of the fastest run; for memory solvers\nit \
         holds for the given partition. Cap used: 100 % keeps the cap, more is a cap raised because no plan was found under \
         it; the largest of a stage, and the mean of all.\nA method that raises more caps is faster for it. Every run has {} s for partition and memory plan together; s is what it took. Partitioners have memory planned by \
         `auto`;\nmemory solvers get the partition by dynamic programming; `rounds` does both in turn.\n",
        args.time_limit
    );
    for comparison in comparisons {
        let cap = match comparison.cap.as_str() {
            "" => "the device's memory".to_owned(),
            share if share.ends_with('%') => format!("{share} of each stage's own peak"),
            bytes => bytes.to_owned(),
        };
        let _ = write!(
            text,
            "\n## {}\n\n{} ops, {} devices, cap {cap}; largest stage without a plan {} MB.\n\n{HEAD}",
            comparison.program,
            comparison.planned_ops,
            comparison.devices,
            megabytes(comparison.unplanned_peak_bytes)
        );
        for row in &comparison.rows {
            text.push_str(&line(row));
        }
    }
    text
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// Figures of several runs: one where they agree to the digits shown.
fn spread(runs: &[Run], digits: usize, figure: impl Fn(&Run) -> f64) -> String {
    let values: Vec<f64> = runs.iter().map(figure).collect();
    let (mean, deviation) = mean_and_deviation(&values);
    let deviation = format!("{deviation:.digits$}");
    match deviation.trim_matches(['0', '.']) {
        "" => format!("{mean:.digits$}"),
        _ => format!("{mean:.digits$} ± {deviation}"),
    }
}

fn line(row: &Row) -> String {
    let who = format!("{} `{}`", row.what, row.method);
    if let Some(refused) = &row.refused {
        return format!("| {who} | no plan: {} |{}\n", refused.replace('|', "/"), " |".repeat(10));
    }
    let runs = &row.runs;
    let alone: Vec<Run> = runs.iter().filter(|run| run.proposed_seconds.is_some()).cloned().collect();
    let alone = match alone[..] {
        [] => "-".to_owned(),
        _ => spread(&alone, 3, |run| run.proposed_seconds.unwrap_or_default() * 1e3),
    };
    let best = runs.iter().min_by(|a, b| a.tmax_seconds.total_cmp(&b.tmax_seconds));
    let bound =
        best.map_or(String::new(), |run| format!("{:.3} ({})", run.bound_seconds * 1e3, run.bound_class));
    let gap = best.map_or(0.0, |run| run.gap);
    let balanced = runs.iter().all(|run| run.tmax_over_tmin.is_some());
    let ratio = match balanced {
        true => spread(runs, 3, |run| run.tmax_over_tmin.unwrap_or_default()),
        false => "none".to_owned(),
    };
    format!(
        "| {who} | {} | {alone} | {bound} | {:.2} | {} | {} | {} | {ratio} | {} | {} | {} |\n",
        spread(runs, 3, |run| run.tmax_seconds * 1e3),
        gap * 100.0,
        spread(runs, 1, |run| run.peak_bytes as f64 / 1e6),
        spread(runs, 0, |run| run.cap_used * 100.0),
        spread(runs, 0, |run| run.mean_cap_used * 100.0),
        spread(runs, 0, |run| run.recomputes as f64),
        spread(runs, 1, |run| run.swap_bytes as f64 / 1e6),
        spread(runs, 1, |run| run.seconds),
    )
}

#[cfg(test)]
mod tests {
    use ballast_core::report::BoundClass;

    use super::*;

    fn run(tmax_seconds: f64) -> Run {
        Run {
            seed: 0,
            tmax_seconds,
            proposed_seconds: None,
            bound_seconds: 0.001,
            bound_class: BoundClass::Any,
            gap: 0.5,
            peak_bytes: 2_000_000,
            cap_used: 1.05,
            mean_cap_used: 1.02,
            tmax_over_tmin: None,
            recomputes: 3,
            swap_bytes: 0,
            seconds: 1.0,
        }
    }

    #[test]
    fn a_row_shows_mean_and_spread_or_the_reason_there_is_none() {
        let row = |runs, refused| Row { what: "memory", method: "m".into(), runs, refused };
        let two = line(&row(vec![run(0.002), run(0.004)], None));
        let expected = "| memory `m` | 3.000 ± 1.414 | - | 1.000 (any) | 50.00 | 2.0 | 105 | 102 | none | 3 | 0.0 | 1.0 |\n";
        assert_eq!(two, expected);
        let none = line(&row(Vec::new(), Some("a|b".into())));
        assert!(none.contains("no plan: a/b"));
        assert_eq!(none.matches('|').count(), expected.matches('|').count());
    }
}

//! Comparisons as tables: of a terminal's width, or in Markdown.

use std::fmt::Write as _;

use ballast_core::outside::Executable;

use super::methods::{MEMORY, Row, Run};
use super::{Args, Comparison, Unit};
use crate::output::quoted;
use crate::statistics::mean_and_deviation;
use crate::tables;

const MIB: f64 = 1_048_576.0;

const HEADS: [&str; 12] = [
    "who",
    "step ms",
    "alone ms",
    "bound ms",
    "gap %",
    "peak MiB",
    "cap used %",
    "mean %",
    "tmax/tmin",
    "recomputed",
    "swapped MiB",
    "s",
];

fn devices(count: usize) -> String {
    format!("{count} device{}", if count == 1 { "" } else { "s" })
}

/// All comparisons for a terminal: three tables each, and why the others have no plan.
pub(super) fn terminal(comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    for comparison in comparisons {
        let _ = write!(
            text,
            "{}: {} ops, {}, cap {}\nlargest stage without a plan {} MiB; {} s a run\n",
            comparison.program,
            comparison.planned_ops,
            devices(comparison.devices),
            cap(comparison),
            mebibytes(comparison.unplanned_peak_bytes),
            comparison.time_limit_seconds,
        );
        if comparison.is_without_plan() {
            let _ = writeln!(text, "{}", refusals(comparison, "", ""));
            continue;
        }
        let mut time = tables::terminal(&["who", "step", "alone", "bound", "gap %", "bound holds for"]);
        let mut memory = tables::terminal(&["who", "peak", "cap used %", "mean %", "remats", "swapped"]);
        let mut balance = tables::terminal(&["who", "tmax/tmin", "s"]);
        for row in comparison.rows.iter().filter(|row| row.refused.is_none()) {
            let own = Executable::named(&row.method).map(|program| program.method());
            let who = format!("{} {}", row.what, own.as_ref().unwrap_or(&row.method));
            let figures = Figures::of(row);
            time.add_row([&who, &figures.step, &figures.alone, &figures.bound, &figures.gap, &figures.class]);
            memory.add_row([
                &who,
                &figures.peak,
                &figures.cap_used,
                &figures.mean_cap_used,
                &figures.recomputes,
                &figures.swapped,
            ]);
            balance.add_row([&who, &figures.ratio, &figures.seconds]);
        }
        let _ = write!(
            text,
            "\nTime of the slowest stage, and with it of a step, ms\n{}\n\nMemory of the largest stage, MiB\n{}\n\n\
             Slowest over fastest stage, and what a run took, s\n{}\n",
            tables::figures(time),
            tables::figures(memory),
            tables::figures(balance),
        );
        text.push_str(&refusals(comparison, "", ""));
        text.push('\n');
    }
    text
}

/// A line for each that has no plan: why. `mark` stands before it, `quote` around names.
fn refusals(comparison: &Comparison, mark: &str, quote: &str) -> String {
    let refused = comparison.rows.iter().filter_map(|row| row.refused.as_ref().map(|reason| (row, reason)));
    refused
        .map(|(row, reason)| {
            format!("{mark}no plan by {} {quote}{}{quote}: {reason}\n", row.what, row.method)
        })
        .collect()
}

/// Why nobody has a plan of any program.
pub(super) fn without_plan(comparisons: &[Comparison]) -> String {
    let reasons = comparisons.iter().map(|comparison| {
        let mark = format!("{}: ", comparison.program);
        refusals(comparison, &mark, "")
    });
    format!(
        "nothing to compare, nobody has a plan:
{}",
        reasons.collect::<String>().trim_end()
    )
}

/// The cap as people say it.
fn cap(comparison: &Comparison) -> String {
    match comparison.cap.as_str() {
        "" => "the device's memory".to_owned(),
        share if share.ends_with('%') => format!("{share} of each stage's own peak"),
        bytes => bytes.to_owned(),
    }
}

/// The command that makes the tables again, with all that they depend on, as a shell reads it. Programs are called as in the tables.
fn command(comparisons: &[Comparison], args: &Args) -> String {
    let names: Vec<String> = comparisons.iter().map(|comparison| quoted(&comparison.program)).collect();
    let mut text = format!("ballast compare {} --devices {}", names.join(" "), quoted(&args.devices));
    let mut option = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = write!(text, " --{name} {}", quoted(value));
        }
    };
    option("cap", &args.cap);
    option("time-limit", &args.time_limit.to_string());
    option("seeds", &args.seeds.to_string());
    option("threads", &args.threads.to_string());
    option("granularity", if args.granularity == Unit::Layer { "layer" } else { "" });
    option("only", &args.only.join(","));
    for (name, programs) in [("exec", &args.exec), ("exec-method", &args.exec_method)] {
        programs.iter().for_each(|program| option(name, &program.display().to_string()));
    }
    option("function", &args.function);
    text
}

/// All comparisons, with the command that made them.
pub(super) fn markdown(comparisons: &[Comparison], args: &Args) -> String {
    let mut text = format!(
        "# Methods compared\n\n`{}`\n\nStep: seconds of the slowest stage, mean ± standard deviation over the \
         seeds where the method has one. Alone: what the partitioner\nproposes by itself, before memory is planned; \
         plans start from dynamic programming and may keep its cut. Bound: that of the fastest run; for memory solvers\nit \
         holds for the given partition. Cap used: 100 % keeps the cap, more is a cap raised because no plan was found under \
         it; the largest of a stage, and the mean of all.\nA method that raises more caps is faster for it. Every run has {} s for partition and memory plan together; s is what it took. Partitioners have memory planned by \
         `auto`;\nmemory solvers get the partition by dynamic programming; `rounds` does both in turn.\n",
        command(comparisons, args),
        args.time_limit
    );
    for comparison in comparisons {
        let mut table = tables::markdown(&HEADS);
        for row in &comparison.rows {
            table.add_row(cells(row));
        }
        let _ = writeln!(
            text,
            "\n## {}\n\n{} ops, {}, cap {}; largest stage without a plan {} MiB.\n\n{table}",
            comparison.program,
            comparison.planned_ops,
            devices(comparison.devices),
            cap(comparison),
            mebibytes(comparison.unplanned_peak_bytes)
        );
        let refused = refusals(comparison, "- ", "`");
        if !refused.is_empty() {
            let _ = write!(text, "\n{refused}");
        }
    }
    text
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / MIB)
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

/// The figures of a row with a plan, as text.
struct Figures {
    step: String,
    alone: String,
    bound: String,
    class: String,
    gap: String,
    peak: String,
    cap_used: String,
    mean_cap_used: String,
    ratio: String,
    recomputes: String,
    swapped: String,
    seconds: String,
}

impl Figures {
    fn of(row: &Row) -> Self {
        let runs = &row.runs;
        let alone: Vec<Run> = runs.iter().filter(|run| run.proposed_seconds.is_some()).cloned().collect();
        let best = runs.iter().min_by(|a, b| a.tmax_seconds.total_cmp(&b.tmax_seconds));
        let balanced = runs.iter().all(|run| run.tmax_over_tmin.is_some());
        Figures {
            step: spread(runs, 3, |run| run.tmax_seconds * 1e3),
            alone: match alone[..] {
                [] => "-".to_owned(),
                _ => spread(&alone, 3, |run| run.proposed_seconds.unwrap_or_default() * 1e3),
            },
            bound: best.map_or(String::new(), |run| format!("{:.3}", run.bound_seconds * 1e3)),
            class: best.map_or(String::new(), |run| holds_for(row, run)),
            gap: format!("{:.2}", best.map_or(0.0, |run| run.gap) * 100.0),
            peak: spread(runs, 1, |run| run.peak_bytes as f64 / MIB),
            cap_used: spread(runs, 0, |run| run.cap_used * 100.0),
            mean_cap_used: spread(runs, 0, |run| run.mean_cap_used * 100.0),
            ratio: match balanced {
                true => spread(runs, 3, |run| run.tmax_over_tmin.unwrap_or_default()),
                false => "none".to_owned(),
            },
            recomputes: spread(runs, 0, |run| run.recomputes as f64),
            swapped: spread(runs, 1, |run| run.swap_bytes as f64 / MIB),
            seconds: spread(runs, 1, |run| run.seconds),
        }
    }
}

/// What a bound holds for: that of a memory solver for the partition it was given alone.
fn holds_for(row: &Row, run: &Run) -> String {
    match row.what {
        MEMORY => format!("dp's partition, {}", run.bound_class),
        _ => run.bound_class.to_string(),
    }
}

/// A row of the Markdown table.
fn cells(row: &Row) -> Vec<String> {
    let who = format!("{} `{}`", row.what, row.method);
    if row.refused.is_some() {
        return vec![who, "no plan".into()];
    }
    let figures = Figures::of(row);
    vec![
        who,
        figures.step,
        figures.alone,
        format!("{} ({})", figures.bound, figures.class),
        figures.gap,
        figures.peak,
        figures.cap_used,
        figures.mean_cap_used,
        figures.ratio,
        figures.recomputes,
        figures.swapped,
        figures.seconds,
    ]
}

#[cfg(test)]
mod tests {
    use ballast_core::report::BoundClass;
    use clap::Parser as _;

    use super::*;

    fn run(tmax_seconds: f64) -> Run {
        Run {
            seed: 0,
            tmax_seconds,
            proposed_seconds: None,
            bound_seconds: 0.001,
            bound_class: BoundClass::Any,
            gap: 0.5,
            peak_bytes: 2 << 20,
            cap_used: 1.05,
            mean_cap_used: 1.02,
            tmax_over_tmin: None,
            recomputes: 3,
            swap_bytes: 0,
            seconds: 1.0,
        }
    }

    fn comparison() -> Comparison {
        let row = |runs, refused| Row { what: "memory", method: "m".into(), runs, refused };
        Comparison {
            program: "p".into(),
            planned_ops: 3,
            devices: 2,
            cap: "80%".into(),
            unplanned_peak_bytes: 3 << 20,
            time_limit_seconds: 1.0,
            threads: 1,
            rows: vec![row(vec![run(0.002), run(0.004)], None), row(Vec::new(), Some("a|b".into()))],
        }
    }

    #[test]
    fn a_row_shows_mean_and_spread_or_the_reason_there_is_none() {
        let rows = comparison().rows;
        let expected = [
            "memory `m`",
            "3.000 ± 1.414",
            "-",
            "1.000 (dp's partition, any)",
            "50.00",
            "2.0",
            "105",
            "102",
            "none",
            "3",
            "0.0",
            "1.0",
        ];
        assert_eq!(cells(&rows[0]), expected);
        assert_eq!(cells(&rows[1]), ["memory `m`", "no plan"]);
        assert_eq!(refusals(&comparison(), "- ", "`"), "- no plan by memory `m`: a|b\n");
        let mut table = tables::markdown(&HEADS);
        rows.iter().for_each(|row| {
            table.add_row(cells(row));
        });
        let table = table.to_string();
        let bars: Vec<usize> = table.lines().map(|line| line.matches('|').count()).collect();
        assert_eq!(bars, [HEADS.len() + 1; 4], "{table}");
    }

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn the_command_on_the_page_says_all_that_the_tables_depend_on() {
        let said = |words: &str| {
            let args = Cli::parse_from(words.split_whitespace()).args;
            command(&[comparison()], &args)
        };
        assert_eq!(
            said(
                "compare a/p --devices 2 --cap 60% --only dp,method=exec:fill.py --granularity layer --exec b.py --function f"
            ),
            "ballast compare p --devices 2 --cap 60% --time-limit 10 --seeds 3 --threads 1 --granularity layer --only dp,method=exec:fill.py --exec b.py --function f"
        );
        assert_eq!(
            said("compare p --devices cpu"),
            "ballast compare p --devices cpu --time-limit 10 --seeds 3 --threads 1"
        );
    }

    #[test]
    fn a_program_without_a_plan_gets_reasons_and_no_empty_tables() {
        let bare = || {
            let mut bare = comparison();
            bare.rows.remove(0);
            bare
        };
        assert!(bare().is_without_plan() && !comparison().is_without_plan());
        assert_eq!(
            without_plan(&[bare()]),
            "nothing to compare, nobody has a plan:\np: no plan by memory m: a|b"
        );
        let text = terminal(&[bare(), comparison()]);
        assert_eq!(text.matches("Time of the slowest stage").count(), 1, "{text}");
    }

    #[test]
    fn a_terminal_gets_the_same_figures_under_captions() {
        let text = terminal(&[comparison()]);
        for part in [
            "3.000 ± 1.414",
            "105",
            "Time of the slowest stage",
            "Memory of the largest stage, MiB",
            "memory m: a|b",
            "dp's partition",
            "without a plan 3.0 MiB",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

//! `ballast explain`: why a plan keeps, recomputes or swaps a value, what would change that, and which op binds the peak.

use std::fmt::Write as _;
use std::path::PathBuf;

use ballast_core::device::DeviceId;
use ballast_core::explain::{Fate, Verdict};
use ballast_core::graph::OpId;
use ballast_core::units::{Bytes, exact};
use ballast_report::{Facts, StageFacts, short_location};
use serde::Serialize;

use crate::failure::Failure;
use crate::output;
use crate::report::read_plan;

/// Most values a question by name or line is answered for.
const MOST_ANSWERS: usize = 20;

/// Arguments of `ballast explain`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Plan file written by `--remat="plan-file=..."`.
    plan: PathBuf,
    /// Values of the ops whose name holds this text, such as dot_general, or of the op with this number, such as '#17'.
    #[arg(long, conflicts_with = "line")]
    tensor: Option<String>,
    /// Values of the ops made at this place of the source, such as model.py:42, or model.py for all of a file.
    #[arg(long, value_name = "FILE:LINE")]
    line: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What is said about one value.
#[derive(Serialize)]
struct Answer {
    op: OpId,
    name: String,
    location: String,
    device: DeviceId,
    bytes: u64,
    fate: Fate,
    /// Repeated runs, or copies in both directions.
    times: usize,
    /// What they cost.
    seconds: f64,
    why: String,
    what_would_change_it: String,
}

/// What binds the memory of a device.
#[derive(Serialize)]
struct Peak {
    device: DeviceId,
    /// What the device holds then; in a pipeline, for all micro-batches in flight.
    peak_bytes: u64,
    /// The same of the micro-batch that runs, where there are others.
    #[serde(skip_serializing_if = "Option::is_none")]
    micro_batch_bytes: Option<u64>,
    cap_bytes: u64,
    op: OpId,
    name: String,
    location: String,
    /// The largest values there, with their bytes.
    largest: Vec<(String, u64)>,
}

#[derive(Serialize)]
struct Answers {
    peaks: Vec<Peak>,
    values: Vec<Answer>,
    /// Smaller values that the question also names.
    left_out: usize,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let plan = read_plan(&args.plan)?;
    let in_file = |text: String| Failure::BadInput(format!("{}: {text}", args.plan.display()));
    let facts = Facts::of(&plan).map_err(in_file)?;
    let asked = args.tensor.is_some() || args.line.is_some();
    let mut found: Vec<(&StageFacts<'_>, &Verdict)> = Vec::new();
    for stage in &facts.stages {
        for verdict in &stage.explained.verdicts {
            let Some(entry) = facts.entry(stage, verdict.node) else { continue };
            let named = args.tensor.as_deref().is_none_or(|text| match text.strip_prefix('#') {
                Some(number) => number == entry.op.to_string(),
                None => entry.name.contains(text),
            });
            let placed = args.line.as_deref().is_none_or(|place| is_at(&entry.location, place));
            // Without a question: what the plan decided, and the largest values it left.
            let decided = asked || verdict.fate != Fate::Kept || verdict.stretch.is_some();
            if named && placed && decided {
                found.push((stage, verdict));
            }
        }
    }
    if found.is_empty() && asked {
        let what = args.tensor.as_ref().map_or_else(
            || format!("--line {}: no planned op comes from there", args.line.as_deref().unwrap_or_default()),
            |text| format!("--tensor {text}: {}", nothing_called(text)),
        );
        return Err(in_file(format!("{what}; `ballast explain` without it lists the largest values")));
    }
    let size = |(stage, verdict): &(&StageFacts<'_>, &Verdict)| stage.size(verdict.node, false);
    found.sort_by_key(|entry| (entry.1.fate == Fate::Kept, std::cmp::Reverse(size(entry))));
    let left_out = found.len().saturating_sub(MOST_ANSWERS);
    found.truncate(MOST_ANSWERS);
    let answers = Answers {
        peaks: facts.stages.iter().filter_map(|stage| peak(&facts, stage)).collect(),
        values: found.iter().filter_map(|(stage, verdict)| answer(&facts, stage, verdict)).collect(),
        left_out,
    };
    if args.json {
        return output::write_json(&answers, None);
    }
    output::write_text(&text(&answers), None)
}

/// Why no value answers to this text: that it is a number is said with a mark.
fn nothing_called(text: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.strip_prefix('#') {
        Some(number) if is_number(number) => "no planned op has this number".to_owned(),
        None if is_number(text) => {
            format!("no planned op is called so; op {text} of the program is --tensor '#{text}'")
        }
        _ => "no planned op is called so".to_owned(),
    }
}

/// Does a location name this file and line? The file may be given without its folders.
fn is_at(location: &str, place: &str) -> bool {
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => {
            (file, Some(line))
        }
        _ => (place, None),
    };
    // As plans write it: a name, then file:line:column; the name may hold a file too.
    location.match_indices(file).any(|(at, _)| {
        let before = location[..at].chars().next_back();
        let rest = &location[at + file.len()..];
        let whole_name = before.is_none_or(|char| !char.is_alphanumeric() && char != '_');
        let line_fits = line.is_none_or(|line| {
            rest.strip_prefix(':')
                .and_then(|rest| rest.strip_prefix(line))
                .is_some_and(|rest| !rest.starts_with(|char: char| char.is_ascii_digit()))
        });
        whole_name && line_fits
    })
}

fn peak(facts: &Facts<'_>, stage: &StageFacts<'_>) -> Option<Peak> {
    let index = stage.explained.peak?;
    let event = stage.explained.events[index];
    let entry = facts.entry(stage, event.node)?;
    let largest = stage.residents(index).into_iter().take(5).map(|(node, workspace, ..)| {
        let suffix = if workspace { ", while it runs" } else { "" };
        (format!("{}{suffix}", facts.name(stage, node)), stage.size(node, workspace))
    });
    let weights = (stage.stage.problem.resident_bytes > 0)
        .then(|| ("weights and inputs".to_owned(), stage.stage.problem.resident_bytes));
    Some(Peak {
        device: stage.stage.device,
        peak_bytes: stage.explained.peak_bytes,
        micro_batch_bytes: Some(event.device_bytes).filter(|_| facts.is_pipeline),
        cap_bytes: stage.entry.cap_bytes,
        op: entry.op,
        name: facts.name(stage, event.node),
        location: entry.location.clone(),
        largest: weights.into_iter().chain(largest).collect(),
    })
}

fn answer(facts: &Facts<'_>, stage: &StageFacts<'_>, verdict: &Verdict) -> Option<Answer> {
    let entry = facts.entry(stage, verdict.node)?;
    let (why, what_would_change_it) = facts.words(stage, verdict);
    Some(Answer {
        op: entry.op,
        name: facts.name(stage, verdict.node),
        location: entry.location.clone(),
        device: stage.stage.device,
        bytes: stage.size(verdict.node, false),
        fate: verdict.fate,
        times: verdict.times,
        seconds: verdict.seconds,
        why,
        what_would_change_it,
    })
}

fn text(answers: &Answers) -> String {
    let mut text = String::new();
    for peak in &answers.peaks {
        let _ = writeln!(
            text,
            "device {}: {} of {} at the peak{}, while {} runs ({})",
            peak.device,
            exact(Bytes(peak.peak_bytes)),
            exact(Bytes(peak.cap_bytes)),
            peak.micro_batch_bytes.map_or_else(String::new, |bytes| format!(
                ", {} of them of the micro-batch that runs",
                Bytes(bytes)
            )),
            peak.name,
            short_location(&peak.location),
        );
        for (name, bytes) in &peak.largest {
            let _ = writeln!(text, "    {:>10}  {name}", Bytes(*bytes).to_string());
        }
    }
    for value in &answers.values {
        let _ = writeln!(
            text,
            "\n{} ({}), {} on device {}: {}",
            value.name,
            short_location(&value.location),
            Bytes(value.bytes),
            value.device,
            value.fate.name(),
        );
        let _ = writeln!(text, "  why: {}", value.why);
        let _ = writeln!(text, "  what would change it: {}", value.what_would_change_it);
    }
    if answers.left_out > 0 {
        let _ = writeln!(text, "\nand {} more; name one with --tensor or --line", answers.left_out);
    }
    text
}

#[cfg(test)]
mod tests {
    use ballast_core::device::DeviceId;
    use ballast_core::graph::OpId;

    use super::{Answers, Peak, is_at, nothing_called, text};

    #[test]
    fn a_peak_and_a_cap_can_be_read_to_the_byte() {
        let peak = Peak {
            device: DeviceId(0),
            peak_bytes: 1 << 20,
            micro_batch_bytes: None,
            cap_bytes: (1 << 20) + 1,
            op: OpId(2),
            name: "tanh #2".to_owned(),
            location: "m.py:3".to_owned(),
            largest: Vec::new(),
        };
        let said = text(&Answers { peaks: vec![peak], values: Vec::new(), left_out: 0 });
        assert!(
            said.starts_with("device 0: 1.0 MiB of 1.0 MiB (1048577 B) at the peak, while tanh #2 runs"),
            "{said}"
        );
    }

    #[test]
    fn a_number_that_names_nothing_is_answered_with_how_numbers_are_written() {
        assert_eq!(
            nothing_called("17"),
            "no planned op is called so; op 17 of the program is --tensor '#17'"
        );
        assert_eq!(nothing_called("#17"), "no planned op has this number");
        for name in ["tanh", "#tanh", "", "#", "1.5"] {
            assert_eq!(nothing_called(name), "no planned op is called so", "{name}");
        }
    }

    #[test]
    fn a_line_of_the_source_is_found_in_locations_of_all_kinds() {
        let plain = "src/model.py:42:7";
        let deep = "jit(f)/train.py:9/dot at /a/b/model.py:7:1";
        for (location, place, found) in [
            (plain, "model.py:42", true),
            (plain, "src/model.py:42", true),
            (plain, "model.py", true),
            (plain, "model.py:4", false),
            (plain, "model.py:421", false),
            (plain, "odel.py:42", false),
            (deep, "model.py:7", true),
            (deep, "train.py:9", true),
            (deep, "train.py:7", false),
        ] {
            assert_eq!(is_at(location, place), found, "{place} in {location}");
        }
    }
}

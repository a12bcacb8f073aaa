//! Op times on XLA: every distinct op becomes a function, which the script that ships with this program compiles and times alone.

use std::process::Command;

use ballast_core::profile::MeasuredLink;
use indexmap::IndexMap;
use serde::Deserialize;

use super::copies::line;
use super::{Args, read_keys, split_ops};
use crate::failure::Failure;
use crate::run::Job;
use crate::run::generic::generic;
use crate::run::tools::{beside, capture};
use crate::run::xla::SCRIPT;

/// What the script prints.
#[derive(Deserialize)]
struct Answer {
    /// Seconds of every run, by function.
    functions: IndexMap<String, Vec<f64>>,
    /// Bytes, seconds to the host, seconds back; none where the device is the host.
    copies: Option<[(f64, f64, f64); 2]>,
}

/// Seconds of every run of every distinct op, by op key; and the links to and from the host, where these are measured there.
pub(super) fn times(args: &Args, job: &Job<'_>) -> Result<(super::Times, Option<super::Links>), Failure> {
    let folder =
        tempfile::tempdir().map_err(|error| Failure::BadInput(format!("no temporary folder: {error}")))?;
    let what = args.model.display().to_string();
    let io = |error: std::io::Error| Failure::BadInput(format!("{what}: {error}"));
    let (split, keys) = split_ops(folder.path(), job);
    let functions = folder.path().join("functions.mlir");
    // Stock MLIR reads StableHLO in generic form, JAX writes it in its own.
    let model = generic(&args.model, folder.path(), &args.python, job.limit)?;
    let mut lower = Command::new(beside("ballast-opt")?);
    lower.arg(&model).args(["--allow-unregistered-dialect", "--mlir-print-op-generic", "--ballast-inline"]);
    lower.arg(&split).arg("-o").arg(&functions);
    capture(&mut lower, &what, job.limit).map_err(|failure| failure.naming(&model, &args.model))?;
    let keys = read_keys(&keys, &what)?;
    let script = folder.path().join("run.py");
    std::fs::write(&script, SCRIPT).map_err(io)?;
    let mut run = Command::new(&args.python);
    run.arg(&script).arg(&functions).arg("--each").arg(format!("--seed={}", job.seed));
    run.arg(format!("--runs={}", job.runs)).arg(format!("--platform={}", args.platform));
    let output = capture(&mut run, &what, job.limit)?;
    let answer: Answer = serde_json::from_slice(&output)
        .map_err(|error| Failure::Internal(format!("{what}: the answer of XLA is no JSON: {error}")))?;
    let timed = pair(keys, &answer.functions).map_err(|text| Failure::Internal(format!("{what}: {text}")))?;
    Ok((timed, answer.copies.map(links)))
}

/// Function number n is the op of key number n.
fn pair(keys: Vec<String>, functions: &IndexMap<String, Vec<f64>>) -> Result<super::Times, String> {
    let seconds = |number: usize| functions.get(&format!("op{number}")).cloned();
    keys.into_iter()
        .enumerate()
        .map(|(number, key)| match seconds(number) {
            Some(seconds) => Ok((key, seconds)),
            None => Err(format!("XLA did not time op {number}, {key}")),
        })
        .collect()
}

fn links([small, large]: [(f64, f64, f64); 2]) -> (MeasuredLink, MeasuredLink) {
    (line((small.0, small.1), (large.0, large.1)), line((small.0, small.2), (large.0, large.2)))
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;

    use super::{Answer, links, pair};

    #[test]
    fn ops_and_times_go_together_by_number() {
        let functions = IndexMap::from([("op1".to_owned(), vec![2.0]), ("op0".to_owned(), vec![1.0])]);
        let paired = pair(vec!["a".to_owned(), "b".to_owned()], &functions).unwrap();
        assert_eq!(paired, [("a".to_owned(), vec![1.0]), ("b".to_owned(), vec![2.0])]);
        let error = pair(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()], &functions).unwrap_err();
        assert!(error.contains("op 2, c"), "{error}");
    }

    #[test]
    fn both_ways_have_a_link_of_their_own() {
        let text =
            r#"{"overhead_seconds": 0.1, "functions": {}, "copies": [[1000, 3.0, 2.0], [5000, 11.0, 4.0]]}"#;
        let answer: Answer = serde_json::from_str(text).unwrap();
        let (to_host, from_host) = links(answer.copies.unwrap());
        assert_eq!((to_host.bytes_per_second, to_host.latency_seconds), (500.0, 1.0));
        assert_eq!((from_host.bytes_per_second, from_host.latency_seconds), (2000.0, 1.5));
    }
}

//! The full time-indexed program, solved as a whole.

use ballast_core::limits::StopReason;
use ballast_core::memory::{assess, expand};
use ballast_core::report::{Bound, BoundClass, Prover};

use crate::highs::{Control, Highs, Status};
use crate::model::WHOLE_TIME;
use crate::outcome::Error;
use crate::solver::{MemorySolver, Proposal, Task};
use crate::stepwise::{MOST_STEPS, Stepwise};

/// The full time-indexed mixed-integer program: exact, for small problems.
pub(crate) struct FullProgram;

impl MemorySolver for FullProgram {
    fn name(&self) -> &'static str {
        "stepwise"
    }

    fn about(&self) -> &'static str {
        "the full time-indexed mixed-integer program: exact, for small problems"
    }

    fn claims(&self) -> &'static [BoundClass] {
        &[BoundClass::ProgramOrderAscending]
    }

    fn propose(&self, task: &Task<'_>) -> Result<Option<Proposal>, Error> {
        let program = task.program;
        let refuse = |reason: String| Err(Error::NotApplicable { solver: self.name(), reason });
        if program.len() > MOST_STEPS {
            return refuse(format!(
                "it is meant for at most {MOST_STEPS} nodes, and there are {}",
                program.len()
            ));
        }
        if task.options.swap.is_some_and(|swap| swap.overlap) {
            return refuse("it counts every copy in full, and the host link overlaps".into());
        }
        Ok(solve(task))
    }
}

/// Solves the program; none without a plan.
fn solve(task: &Task<'_>) -> Option<Proposal> {
    let program = task.program;
    let stepwise = Stepwise::new(program, task.options.swap.as_ref());
    task.progress.solves(&stepwise.model);
    let mut highs = Highs::new(&stepwise.model, false)?;
    highs.gaps(0.0, 1e-7)?;
    let enough = |_| task.deadline.over();
    let answer = highs.solve(&Control::until(&task.deadline, &enough));
    let point = answer.values?;
    let extra = (answer.bound * program.total_time / WHOLE_TIME).max(0.0);
    let optimal = answer.status == Status::Optimal;
    let plan = program.compact(&stepwise.plan(&point));
    // HiGHS calls points feasible that are so within its tolerances, and may hand out zeros.
    let schedule = expand(task.problem, &plan).ok()?;
    let found = assess(task.problem, &schedule, task.options.swap.as_ref(), task.options.cap_bytes).ok()?;
    if found.excess_bytes > 0 {
        return None;
    }
    Some(Proposal {
        plan,
        bound: Bound::proved(program.total_time + extra, BoundClass::ProgramOrderAscending)
            .by(if extra > 0.0 { Prover::BranchAndBound } else { Prover::EachOpOnce }, answer.work),
        method: "stepwise".into(),
        stop: if optimal { StopReason::Proved } else { task.deadline.reason() },
        work: answer.work,
        q_table: None,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::path::Path;

    use ballast_core::memory::{Node, Problem, SwapModel};
    use highs_sys as sys;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::model::{Model, name, single};
    use crate::{Options, Order, Solver, plan};

    /// The optimum of a model file, read and solved by HiGHS alone.
    fn optimum(path: &Path) -> f64 {
        let text = |text: &str| CString::new(text).unwrap();
        let file = text(path.to_str().unwrap());
        // SAFETY: one live object from create to destroy; C strings that outlive the calls.
        unsafe {
            let highs = sys::Highs_create();
            sys::Highs_setBoolOptionValue(highs, text("output_flag").as_ptr(), 0);
            sys::Highs_setDoubleOptionValue(highs, text("mip_rel_gap").as_ptr(), 0.0);
            assert_eq!(sys::Highs_readModel(highs, file.as_ptr()), sys::STATUS_OK);
            assert_eq!(sys::Highs_run(highs), sys::STATUS_OK);
            assert_eq!(sys::Highs_getModelStatus(highs), sys::MODEL_STATUS_OPTIMAL);
            let value = sys::Highs_getObjectiveValue(highs);
            sys::Highs_destroy(highs);
            value
        }
    }

    /// Rows of one name, as covers of one row are, are told apart in a file, and come back as they were.
    #[test]
    fn rows_of_one_name_are_told_apart_in_a_file() {
        let mut model = Model::default();
        let columns: Vec<usize> = (0..3).map(|v| model.binary(name("again", v, 0), 1.0 + v as f64)).collect();
        let pair = |a: usize, b: usize| vec![(columns[a], 1.0), (columns[b], 1.0)];
        model.at_least(single("cover", 3), pair(0, 1), 1.0);
        model.at_least(name("cover", 3, 2), pair(1, 2), 1.0);
        model.at_least(single("cover", 3), pair(0, 2), 1.0);
        model.at_least(single("cover", 3), vec![(columns[0], 3.0), (columns[2], 1.0)], 1.0);
        let folder = tempfile::tempdir().unwrap();
        for extension in ["lp", "mps"] {
            let path = folder.path().join(format!("model.{extension}"));
            Highs::write(&model, &path).unwrap();
            // The cheapest cover of all three pairs: the first two columns.
            assert!((optimum(&path) - 3.0).abs() < 1e-9);
            let text = std::fs::read_to_string(&path).unwrap();
            for row in ["cover_3", "cover_3_2", "cover_3.2", "cover_3.3"] {
                let word = |word: &str| word.trim_end_matches(':') == row;
                assert!(text.split_whitespace().any(word), "no {row} in {text}");
            }
        }
    }

    /// What is written is what decided: read back and solved apart, it has the same optimum.
    #[test]
    fn a_model_file_has_the_optimum_of_its_plan() {
        let folder = tempfile::tempdir().unwrap();
        let node = |id: usize, (time, bytes), inputs: &[usize]| {
            Node::new(format!("n{id}"), time, bytes, inputs.to_vec())
        };
        let four = vec![
            node(0, (2.0, 4), &[]),
            node(1, (3.0, 4), &[0]),
            node(2, (5.0, 4), &[1]),
            node(3, (1.0, 1), &[0, 2]),
        ];
        let mut programs = vec![(four, 9)];
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        while programs.len() < 3 {
            let nodes: Vec<Node> = (0..9)
                .map(|id| {
                    let inputs: Vec<usize> = (0..id).filter(|_| rng.random_bool(0.4)).collect();
                    node(id, (f64::from(rng.random_range(1..9)), rng.random_range(1..9)), &inputs)
                })
                .collect();
            let problem = Problem { name: String::new(), nodes, resident_bytes: 0 };
            let (least, peak) = (problem.working_set().0, problem.unplanned_peak());
            if least < peak {
                programs.push((problem.nodes, least));
            }
        }
        for (index, (nodes, cap_bytes)) in programs.into_iter().enumerate() {
            let problem = Problem { name: "program".into(), nodes, resident_bytes: 0 };
            for bandwidth in [None, Some(8.0)] {
                for extension in ["lp", "mps"] {
                    let path = folder.path().join(format!("{index}.{extension}"));
                    let link = |bandwidth| SwapModel {
                        out_bandwidth: bandwidth,
                        in_bandwidth: bandwidth,
                        latency: 0.0,
                        overlap: false,
                        host_capacity_bytes: None,
                    };
                    let options = Options {
                        cap_bytes,
                        swap: bandwidth.map(link),
                        order: Order::Program,
                        solver: Solver::STEPWISE,
                        model_file: Some(path.clone()),
                        ..Options::default()
                    };
                    let found = plan(&problem, &options).unwrap();
                    let extra = found.report.value - problem.total_time();
                    let read = optimum(&path) * problem.total_time() / WHOLE_TIME;
                    assert!((read - extra).abs() < 1e-6, "{index} {bandwidth:?}: {read} for {extra}");
                }
            }
        }
    }
}

//! The learned placer end to end: training, saved placers, and its plans before the judge.

use ballast_core::limits::{Deadline, Limits};
use ballast_dag::check::check;
use ballast_dag::learned::board::Board;
use ballast_dag::learned::graphs::random_problem;
use ballast_dag::learned::ppo::{Metrics, Placer, Rates, Trainer};
use ballast_dag::problem::{Kind, Node, PlanClass, Problem};
use ballast_dag::solve::{Method, Options, Solved, solve};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn graph(seed: u64) -> Problem {
    random_problem(&mut ChaCha8Rng::seed_from_u64(seed))
}

fn learn(trainer: &mut Trainer, updates: usize, stop: usize) -> Vec<Metrics> {
    let mut lines = Vec::new();
    let rates = Rates { episodes: 3, ..Rates::default() };
    let board = |rng: &mut ChaCha8Rng| Board::new(&random_problem(rng), PlanClass::Contiguous);
    trainer
        .train(updates, 4, &rates, &Deadline::after(None), board, |placer, line| {
            lines.push(*line);
            placer.updates() < stop
        })
        .expect("learned");
    lines
}

#[test]
fn a_resumed_training_gives_the_bytes_of_one_that_was_not_interrupted() {
    let fresh = || Trainer::fresh(None, 4).expect("a placer");
    let mut whole = fresh();
    let lines = learn(&mut whole, 4, usize::MAX);
    assert_eq!(lines.len(), 4);
    assert!(lines.iter().all(|line| line.explained_variance <= 1.0 && line.figures.entropy >= 0.0));
    let mut half = fresh();
    learn(&mut half, 4, 2);
    let file = half.placer.to_file().expect("a file");
    assert_eq!(half.placer.updates(), 2);
    let placer = Placer::from_file(&file).expect("a placer");
    let mut resumed = Trainer::resume(None, placer).expect("a placer");
    let rest = learn(&mut resumed, 4, usize::MAX);
    assert_eq!(rest, lines[2..]);
    assert_eq!(resumed.placer.to_file().expect("a file"), whole.placer.to_file().expect("a file"));
}

#[test]
fn damaged_placers_and_those_of_another_version_are_refused() {
    let file = Trainer::fresh(None, 1).expect("a placer").placer.to_file().expect("a file");
    let refused = |bytes: &[u8]| Placer::from_file(bytes).expect_err("refused").to_string();
    let at = file.windows(16).position(|word| word == b"partition-dag/1 ").expect("the kind");
    let mut other = file.clone();
    other[at + 14] = b'9';
    assert!(refused(&other).contains("'partition-dag/9', not for 'partition-dag/1'"));
    let mut damaged = file.clone();
    damaged[file.len() / 2] ^= 1;
    assert!(refused(&damaged).contains("checksum"));
    assert!(refused(&file[..file.len() - 3]).contains("damaged"));
    assert!(refused(b"{}").contains("not a saved network"));
}

#[test]
fn its_plans_pass_the_judge_and_are_the_same_on_one_and_two_threads() {
    let (mut found, mut looked) = (0, 0);
    for seed in 0..4 {
        let problem = graph(100 + seed);
        for class in [PlanClass::Contiguous, PlanClass::Free] {
            let run = |threads: usize| -> Option<Solved> {
                let limits = Limits { time_limit_seconds: None, work_limit: Some(2_500), seed: 3, threads };
                let options = Options {
                    class,
                    method: Method::Rl,
                    limits,
                    finish_early: true,
                    placer: None,
                    observe: &|_| (),
                };
                solve(&problem, &options).ok()
            };
            looked += 1;
            let (one, two) = (run(1), run(2));
            assert_eq!(one.as_ref().map(|o| &o.assignment), two.as_ref().map(|o| &o.assignment));
            let Some(outcome) = one else { continue };
            let verdict = check(&problem, class, &outcome.assignment).expect("a plan");
            assert_eq!(verdict.max_load, outcome.report.value);
            assert!(outcome.report.bound().value() <= outcome.report.value && !outcome.report.proved());
            found += 1;
        }
    }
    assert!(found * 4 >= looked * 3, "{found} of {looked}");
}

#[test]
fn what_one_device_can_run_has_a_plan_whatever_the_placer_comes_to() {
    let kind = |name: &str, memory_bytes, transfer_factor| Kind {
        name: name.to_owned(),
        count: 1,
        memory_bytes,
        transfer_factor,
    };
    let node = |id: &str, readers: &[usize]| Node {
        id: id.to_owned(),
        time: vec![1.0, 4.0],
        size_bytes: 1.0,
        backward: false,
        colour: None,
        output_cost: 0.0,
        readers: readers.to_vec(),
    };
    // The accelerator holds one of the two nodes, the CPU core both; no step of a search is allowed.
    let problem = Problem {
        name: String::new(),
        kinds: vec![kind("accelerator", 1.0, 1.0), kind("CPU core", f64::INFINITY, 0.0)],
        nodes: vec![node("a", &[1]), node("b", &[])],
        colours: 0,
    };
    let limits = Limits { time_limit_seconds: None, work_limit: Some(0), seed: 0, threads: 1 };
    for class in [PlanClass::Contiguous, PlanClass::Free] {
        let method = Method::Rl;
        let options = Options { class, method, limits, finish_early: true, placer: None, observe: &|_| () };
        let found = solve(&problem, &options).expect("a plan");
        assert_eq!((found.assignment, found.report.value), (vec![1, 1], 8.0));
    }
}

#[test]
fn learning_on_one_graph_makes_its_placements_better() {
    let problem = graph(7);
    let board = Board::new(&problem, PlanClass::Free);
    let mut trainer = Trainer::fresh(None, 2).expect("a placer");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let clock = Deadline::after(None);
    let returns: Vec<f64> = (0..20)
        .map(|_| {
            let line = trainer.update(&board, &Rates::default(), &mut rng, &clock, |_, _| {});
            line.expect("learned").expect("in time").mean_return
        })
        .collect();
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    assert!(mean(&returns[15..]) > mean(&returns[..5]), "{returns:?}");
}

//! The learner end to end: library, updates, saved networks, and the RL partitioner on small problems.

mod support;

use ballast_core::device::{CoreModel, DeviceId, Link};
use ballast_core::graph::Graph;
use ballast_core::limits::{Deadline, Limits, StopReason};
use ballast_core::program::Program;
use ballast_core::stage::NodeSource;
use ballast_core::units::Bytes;
use ballast_partition::chip::plan_chip;
use ballast_partition::rl::chains::{Profile, chain};
use ballast_partition::rl::classical::{anneal, one_core_stages, random_search};
use ballast_partition::rl::comparison::{Case, Contender, ZERO_SHOT_STEPS, contend};
use ballast_partition::rl::curriculum::{Schedule, train};
use ballast_partition::rl::environment::State;
use ballast_partition::rl::exact::best_grouping;
use ballast_partition::rl::machine::Reward;
use ballast_partition::rl::policy::View;
use ballast_partition::rl::train::{self, Trainer, Weights};
use ballast_partition::{Error, Method, Options, plan};
use support::{cluster, costs, random_graph};

fn limits() -> Limits {
    Limits { time_limit_seconds: None, seed: 1, ..Limits::default() }
}

#[test]
fn the_published_learner_runs_and_keeps_the_best_state() {
    let machine = chain(30, 7, Profile::Even, 5);
    let start = State::spread(30, 7).expect("a state");
    let options = train::Options { episodes: 20, max_steps: Some(150), ..train::Options::published() };
    let run = || {
        let deadline = Deadline::start(&limits());
        let mut log = Vec::new();
        let answer = train::run(&machine, &start, &options, &limits(), &deadline, |e| log.push(*e));
        (answer.expect("an answer").best, log)
    };
    let ((best, log), again) = (run(), run());
    assert_eq!((&best, &log), (&again.0, &again.1), "same seed, same run");
    assert_eq!(log.len(), 20);
    assert!(best.score.tmax_seconds <= machine.score(&start).tmax_seconds);
    let (_, optimum) = best_grouping(&machine).expect("a grouping");
    assert!(best.score.tmax_seconds >= optimum - 1e-15, "nothing beats the exact answer");
    assert!(best.score.tmax_seconds <= 1.2 * optimum, "{} {optimum}", best.score.tmax_seconds);
}

#[test]
fn the_published_learner_starts_from_equal_probabilities_and_learns_from_every_step_of_every_episode() {
    let machine = chain(60, 9, Profile::Even, 5);
    let start = State::spread(60, 9).expect("a state");
    let options = train::Options { episodes: 12, max_steps: Some(700), ..train::Options::published() };
    let mut log = Vec::new();
    let deadline = Deadline::start(&limits());
    let answer = train::run(&machine, &start, &options, &limits(), &deadline, |e| log.push(*e));
    assert_eq!(answer.expect("an answer").steps, 12 * 700, "no step is masked, and none is left out");
    let uniform = f64::from(4 * 8).ln();
    assert!((log[0].outcome.figures.entropy - uniform).abs() < 1e-5, "{:?}", log[0].outcome.figures);
    for episode in &log {
        assert!(
            episode.outcome.figures.gradient_norm > 0.0 && episode.outcome.figures.kl > 0.0,
            "{episode:?}"
        );
    }
}

#[test]
fn an_episode_ends_at_the_target_reward() {
    let machine = chain(30, 7, Profile::Even, 5);
    let start = State::spread(30, 7).expect("a state");
    let run = |target_reward| {
        let options = train::Options {
            episodes: 4,
            max_steps: Some(100),
            target_reward,
            ..train::Options::published()
        };
        train::run(&machine, &start, &options, &limits(), &Deadline::start(&limits()), |_| {})
            .expect("an answer")
            .steps
    };
    assert_eq!(run(None), 400);
    assert_eq!(run(Some(-1e9)), 4, "every state is good enough");
}

/// Largest computation, memory per core and route load of a grouping, from the stages that the judge sees.
fn loads(
    graph: &Graph,
    seconds: &[f64],
    groups: &[usize],
    speed_up: &[f64],
    stage_of: &[DeviceId],
) -> [f64; 3] {
    let rows =
        groups.iter().map(|&cores| seconds.iter().map(|s| s / speed_up[cores - 1]).collect::<Vec<_>>());
    let free = Link { bytes_per_second: f64::MAX, latency_seconds: 0.0 };
    let (costs, cluster) = (costs(&rows.collect::<Vec<_>>()), cluster(groups.len(), 1 << 30, free));
    let mut loads = [0.0f64; 3];
    for (stage, &cores) in ballast_core::stage::stages(graph, &costs, &cluster, stage_of).iter().zip(groups) {
        let received = stage.sources.iter().filter_map(|source| match source {
            NodeSource::Receive(op) => Some(graph.value_bytes(*op).0),
            NodeSource::Op(_) => None,
        });
        let sent = stage.sends.iter().map(|(op, _)| graph.value_bytes(*op).0);
        let route = received.chain(sent).sum::<u64>() as f64;
        let of_stage = [stage.compute_seconds, stage.problem.unplanned_peak() as f64 / cores as f64, route];
        (0..3).for_each(|load| loads[load] = loads[load].max(of_stage[load]));
    }
    loads
}

#[test]
fn four_weightings_give_four_plans_each_best_under_its_own_weights() {
    let (graph, seconds) = random_graph(3, 24);
    let mut chip =
        cluster(1, 1 << 30, Link { bytes_per_second: 1.0, latency_seconds: 0.0 }).devices[0].clone();
    let speed_up: Vec<f64> = (1..=6).map(|cores| f64::from(cores).powf(0.6)).collect();
    let model = CoreModel { count: 6, memory_per_core: Bytes(1 << 30), speed_up: speed_up.clone() };
    chip.cores = Some(model.clone());
    let even: Vec<DeviceId> = (0..24).map(|op| DeviceId(op / 4)).collect();
    let start = loads(&graph, &seconds, &[1; 6], &speed_up, &even);
    let weightings = [[1.0, 0.0, 0.0], [1.0, 0.2, 0.0], [1.0, 0.0, 0.2], [1.0, 1.0, 1.0]];
    let plans = weightings.map(|[compute, memory, route]| {
        let reward = Reward::Weighted { compute, memory, route };
        let rl = train::Options { reward, episodes: 3, ..train::Options::default() };
        let options = Options { method: Method::RL, rl, limits: limits(), ..Options::default() };
        let outcome = plan_chip(&graph, &seconds, &chip, &model, &options).expect("a plan");
        let proposed = outcome.proposed.expect("the learner ran");
        assert!(proposed.over_answer >= 1.0 - 1e-12, "the exact grouping wins: {proposed:?}");
        let groups: Vec<usize> = outcome.cluster.devices.iter().map(|device| device.stage_cores()).collect();
        (outcome.stage_of.clone(), loads(&graph, &seconds, &groups, &speed_up, &outcome.stage_of))
    });
    for (own, weights) in weightings.iter().enumerate() {
        let cost =
            |plan: usize| (0..3).map(|load| weights[load] * plans[plan].1[load] / start[load]).sum::<f64>();
        for other in (0..plans.len()).filter(|&other| other != own) {
            assert_ne!(plans[own].0, plans[other].0, "weightings {own} and {other}");
            assert!(cost(own) <= cost(other) * (1.0 + 1e-9), "{other} is better under the weights of {own}");
        }
    }
}

#[test]
fn devices_get_the_placement_whose_weighted_sum_is_least() {
    let link = Link { bytes_per_second: 64.0, latency_seconds: 0.0 };
    let mut chosen = 0;
    for seed in 0..8 {
        let (graph, seconds) = random_graph(seed, 40);
        let (costs, cluster) = (costs(&vec![seconds; 3]), cluster(3, 1 << 30, link));
        let program = Program { graph: &graph, costs: &costs, cluster: &cluster };
        let peak = |outcome: &ballast_partition::Partition| {
            let stages = program.stages(&outcome.device_of);
            stages.iter().map(|stage| stage.problem.unplanned_peak()).max().expect("devices")
        };
        let learned = |reward| {
            let rl = train::Options { reward, episodes: 6, ..train::Options::default() };
            plan(&program, &Options { method: Method::RL, rl, limits: limits(), ..Options::default() })
                .expect("a plan")
        };
        let fast = learned(Reward::MaxTime);
        let small = learned(Reward::Weighted { compute: 0.0, memory: 1.0, route: 0.0 });
        assert!(peak(&small) <= peak(&fast), "seed {seed}");
        chosen += usize::from(peak(&small) < peak(&fast));
    }
    assert!(chosen > 4, "{chosen} of 8 programs have a smaller plan");
}

#[test]
fn the_shipped_policy_comes_within_a_tenth_on_chains_it_never_saw_and_needs_no_library() {
    let options = train::Options { library: Some("/nowhere/learner.so".into()), ..train::Options::default() };
    for (which, (layers, cores)) in
        [(20, 64), (50, 32), (97, 24), (200, 64), (200, 8)].into_iter().enumerate()
    {
        let case = Case::unseen(layers, cores, which, 77).expect("a chain");
        let run = || contend(&case, Contender::ZeroShot, &options, 1, 1000.0).expect("an answer");
        let entry = run();
        assert!((1.0 - 1e-9..=1.10).contains(&entry.over_optimum), "{}: {entry:?}", case.name);
        assert!(entry.over_optimum < entry.start_over_optimum && entry.steps <= ZERO_SHOT_STEPS);
        assert_eq!(entry.over_optimum, run().over_optimum, "acting is the same every time");
    }
}

#[test]
fn a_program_is_cut_into_a_chain_that_keeps_its_time() {
    let (graph, seconds) = random_graph(4, 60);
    let case = Case::of_program(&graph, &seconds, (12, 6), 0.7).expect("a chain");
    assert!((6..=12).contains(&case.machine.layers()), "{}", case.machine.layers());
    let total: f64 = graph.planned().map(|op| seconds[op]).sum();
    assert!((case.machine.seconds_on_one(0, case.machine.layers()) - total).abs() < 1e-12 * total);
    // One stage on all cores is a grouping; all cores at full speed are a bound.
    assert!(
        case.optimum_seconds <= total / 6f64.powf(0.7) + 1e-12 && case.optimum_seconds >= total / 6.0 - 1e-12
    );
}

#[test]
fn the_plain_answer_is_the_best_cut_into_stages_of_one_core() {
    let machine = chain(12, 5, Profile::Heavy, 3);
    let state = one_core_stages(&machine).expect("a state");
    assert_eq!(state.groups().count(), 5);
    let plain = machine.score(&state).tmax_seconds;
    // All cuts of 12 layers into 5 stages.
    let mut best = f64::INFINITY;
    for cuts in 0u32..1 << 11 {
        if cuts.count_ones() == 4 {
            let ends: Vec<usize> =
                (0..11).filter(|i| cuts >> i & 1 == 1).map(|i| i + 1).chain([12]).collect();
            let mut first = 0;
            let groups: Vec<(usize, usize)> =
                ends.iter().map(|&end| (end - std::mem::replace(&mut first, end), 1)).collect();
            let state = State::from_groups(&groups).expect("a state");
            best = best.min(machine.score(&state).tmax_seconds);
        }
    }
    assert!((plain - best).abs() <= 1e-9 * best, "{plain} {best}");
    let wide = chain(4, 9, Profile::Even, 3);
    let state = one_core_stages(&wide).expect("a state");
    assert_eq!(state.groups().map(|group| group.cores).sum::<usize>(), 9);
}

#[test]
fn a_run_that_learns_is_never_worse_than_its_start_and_stops_where_nothing_is_better() {
    let case = Case::unseen(40, 10, 1, 5).expect("a chain");
    let from_plain = contend(&case, Contender::RlDp, &train::Options::default(), 3, 3.0).expect("an answer");
    assert!(from_plain.over_optimum <= from_plain.start_over_optimum);
    let (optimal, optimum) = best_grouping(&case.machine).expect("a grouping");
    let options =
        train::Options { enough_seconds: Some(optimum), episodes: 1_000_000, ..train::Options::default() };
    let deadline = Deadline::after(None);
    let answer =
        train::run(&case.machine, &optimal, &options, &limits(), &deadline, |_| {}).expect("an answer");
    assert_eq!(answer.best.state, optimal);
    assert!(answer.episodes <= 1);
}

#[test]
fn a_resumed_training_gives_the_bytes_of_one_that_was_not_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("half.net");
    let schedule = |episodes| Schedule { seed: 5, episodes, imitated: 3, cores: None };
    let fresh = train::Options { weights: Weights::Fresh, environments: 4, ..train::Options::default() };
    let train_all = |options: &train::Options, stop_after: usize| {
        let mut trainer = Trainer::new(options.clone(), 2, 5).expect("a policy");
        let stop = Deadline::after(None);
        let mut lines = Vec::new();
        let result = train(&mut trainer, options, &schedule(6), &stop, |trainer, line| {
            lines.push(*line);
            if trainer.episodes == stop_after {
                trainer.save(&path)?;
                return Err(train::RlError::Options("interrupted".into()));
            }
            Ok(())
        });
        (result.is_ok(), trainer.to_file().expect("a file"), lines)
    };
    let (finished, whole, lines) = train_all(&fresh, usize::MAX);
    assert!(finished && lines.len() == 6);
    assert!(lines.iter().any(|line| line.imitation) && lines.iter().any(|line| !line.imitation));
    assert!(
        lines.iter().all(|line| line.lesson.figures.kl >= -1e-6 && line.lesson.explained_variance <= 1.0)
    );
    for cut in [2, 4] {
        let (finished, ..) = train_all(&fresh, cut);
        assert!(!finished);
        let resumed = train::Options { weights: Weights::File(path.clone()), ..fresh.clone() };
        let (finished, again, rest) = train_all(&resumed, usize::MAX);
        assert!(finished && rest.len() == 6 - cut);
        assert_eq!(again, whole, "interrupted after {cut}");
    }
}

#[test]
fn classical_searches_improve_on_the_start() {
    let machine = chain(40, 8, Profile::Heavy, 1);
    let start = State::from_groups(&[(33, 1), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1)]);
    let start = start.expect("a state");
    let deadline = Deadline::after(None);
    let first = machine.score(&start).tmax_seconds;
    let random = random_search(&machine, &start, 200, 20_000, 3, &deadline);
    let annealed = anneal(&machine, &start, (100_000, 0.0), false, 3, &deadline);
    assert!(random.score.tmax_seconds < first && annealed.score.tmax_seconds < first);
    let (_, optimum) = best_grouping(&machine).expect("a grouping");
    assert!(annealed.score.tmax_seconds <= 1.5 * optimum, "{} {optimum}", annealed.score.tmax_seconds);
}

#[test]
fn limits_end_a_run_and_are_named() {
    let machine = chain(60, 16, Profile::Even, 2);
    let start = State::spread(60, 16).expect("a state");
    let options = train::Options { episodes: 1_000_000, ..train::Options::default() };
    let worked = Limits { work_limit: Some(500), ..limits() };
    let answer = train::run(&machine, &start, &options, &worked, &Deadline::start(&worked), |_| {})
        .expect("an answer");
    assert_eq!(answer.stop_reason, StopReason::WorkLimit);
    let timed = Limits { time_limit_seconds: Some(0.2), ..limits() };
    let answer =
        train::run(&machine, &start, &options, &timed, &Deadline::start(&timed), |_| {}).expect("an answer");
    assert_eq!(answer.stop_reason, StopReason::TimeLimit);
}

#[test]
fn the_learner_never_makes_a_partition_worse_and_may_be_missing() {
    let link = Link { bytes_per_second: 16.0, latency_seconds: 0.25 };
    for seed in 0..6 {
        let (graph, seconds) = random_graph(seed, 60);
        let (costs, cluster) = (costs(&vec![seconds; 4]), cluster(4, 1 << 30, link));
        let base = Options { limits: limits(), ..Options::default() };
        let dp = plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &base).expect("a plan");
        let rl = train::Options { episodes: 3, ..train::Options::default() };
        let learned = Options { method: Method::RL, rl: rl.clone(), ..base.clone() };
        let learned =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &learned).expect("a plan");
        assert!(learned.report.value <= dp.report.value);
        assert!(learned.report.work > dp.report.work, "the learner ran");
        let nowhere = train::Options { library: Some("/nowhere/learner.so".into()), ..rl };
        let options = Options { method: Method::RL, rl: nowhere, ..base };
        let without =
            plan(&Program { graph: &graph, costs: &costs, cluster: &cluster }, &options).expect("a plan");
        assert_eq!(without.device_of, dp.device_of);
        assert!(without.notes.iter().any(|note| note.contains("/nowhere/learner.so")), "{:?}", without.notes);
    }
}

#[test]
fn a_policy_file_that_is_none_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy");
    std::fs::write(&path, b"not a policy").expect("written");
    let (graph, seconds) = random_graph(1, 20);
    let link = Link { bytes_per_second: 16.0, latency_seconds: 0.25 };
    let rl = train::Options { weights: Weights::File(path), ..train::Options::default() };
    let options = Options { method: Method::RL, rl, limits: limits(), ..Options::default() };
    let error = plan(
        &Program { graph: &graph, costs: &costs(&vec![seconds; 2]), cluster: &cluster(2, 1 << 30, link) },
        &options,
    );
    assert!(matches!(&error, Err(Error::Learner(text)) if text.contains("not a saved network")), "{error:?}");
    // A policy of an earlier version, whose inputs meant something else; and a damaged one.
    let fresh = train::Options { weights: Weights::Fresh, ..train::Options::default() };
    let file = Trainer::new(fresh.clone(), 3, 0).expect("a policy").to_file().expect("a file");
    let start = file.windows(18).position(|word| word == b"partition-pairs/2 ").expect("the kind");
    let mut older = file.clone();
    older[start + 16] = b'1';
    let mut damaged = file.clone();
    damaged[file.len() / 2] ^= 4;
    for (bytes, reason) in
        [(older, "'partition-pairs/1', not for 'partition-pairs/2'"), (damaged, "checksum")]
    {
        let path = folder.path().join("other");
        std::fs::write(&path, bytes).expect("written");
        let saved = train::Options { weights: Weights::File(path), ..fresh.clone() };
        let error = Trainer::new(saved, 3, 0).err().expect("refused").to_string();
        assert!(error.contains(reason) && error.contains("other"), "{error}");
    }
    let flat = train::Options { weights: Weights::Fresh, view: View::Flat, ..train::Options::default() };
    let bytes = Trainer::new(flat.clone(), 3, 0).expect("a policy").to_file().expect("a file");
    let path = folder.path().join("flat");
    std::fs::write(&path, bytes).expect("written");
    let saved = train::Options { weights: Weights::File(path), ..flat };
    assert!(Trainer::new(saved.clone(), 3, 0).is_ok());
    assert!(Trainer::new(saved, 4, 0).is_err(), "a flat policy fits one number of cores only");
}

#[test]
fn a_chip_gets_the_exact_grouping_and_stages_the_judge_agrees_with() {
    let (graph, seconds) = random_graph(8, 30);
    let mut chip =
        cluster(1, 1 << 30, Link { bytes_per_second: 1.0, latency_seconds: 0.0 }).devices[0].clone();
    let model = CoreModel { count: 6, memory_per_core: Bytes(1 << 30), speed_up: Vec::new() };
    chip.cores = Some(model.clone());
    let options = Options { limits: limits(), ..Options::default() };
    let outcome = plan_chip(&graph, &seconds, &chip, &model, &options).expect("a plan");
    assert!(outcome.report.proved() && outcome.report.bound().class().name() == "core-groups");
    assert_eq!(outcome.cluster.devices.iter().map(|device| device.stage_cores()).sum::<usize>(), 6);
    let stages = ballast_core::stage::stages(&graph, &outcome.costs, &outcome.cluster, &outcome.stage_of);
    let slowest = stages.iter().map(|stage| stage.load_seconds()).fold(0.0, f64::max);
    assert!((slowest - outcome.balance.tmax_seconds).abs() < 1e-9 * slowest);
    let tight = CoreModel { memory_per_core: Bytes(1), ..model };
    let outcome = plan_chip(&graph, &seconds, &chip, &tight, &options).expect("a plan");
    assert!(outcome.notes.iter().any(|note| note.contains("no grouping of 6 cores")), "{:?}", outcome.notes);
}

//! The static genetic search on the ten-layer model and against the exact search.

use ballast_core::device::DeviceId;
use ballast_core::limits::{Limits, StopReason};
use ballast_partition::genetic::{LayerFile, LayerTable, Options, PlacementError, exact::exact, solve};
use rand::{RngExt, SeedableRng};

/// Operations per second of the chip, measured.
const RATE: f64 = 12.87e9;
const MEMORY: u64 = 1_081_344;

fn ten_layers() -> LayerFile {
    LayerFile::parse(include_str!("../examples/ten-layers.toml")).expect("the shipped example")
}

fn limits(seed: u64) -> Limits {
    Limits { time_limit_seconds: None, work_limit: None, seed, threads: 1 }
}

fn table(memories: [u64; 8]) -> LayerTable {
    ten_layers().table(&[RATE; 8], &memories).expect("the shipped example")
}

#[test]
fn the_predictors_give_the_printed_counts() {
    let table = table([MEMORY; 8]);
    let milliseconds = |layer: usize| table.seconds[0][layer] * 1e3;
    assert!((milliseconds(0) - 0.259700).abs() < 5e-7, "{}", milliseconds(0));
    assert_eq!(table.seconds[0][0], 3_342_336.0 / RATE);
    assert_eq!(table.bytes[0][0], 460_480);
    assert!((milliseconds(5) - 2.035866).abs() < 5e-7);
    assert_eq!(table.seconds[0][5], 26_201_600.0 / RATE);
    assert_eq!(table.bytes[0][5], 985_088);
    assert_eq!(table.seconds[0][4], 142_606_336.0 / RATE);
    assert!((milliseconds(4) - 11.080523).abs() < 5e-7);
    assert_eq!(table.bytes[0][4], MEMORY);
    let total: f64 = table.seconds[0].iter().sum();
    assert!((total * 1e3 - 31.019).abs() < 5e-4, "{total}");
}

#[test]
fn layer_five_ends_alone_in_every_seed() {
    let table = table([MEMORY; 8]);
    let referee = exact(&table, &limits(0)).expect("a placement");
    let mut placements = Vec::new();
    for seed in 0..10 {
        let found = solve(&table, &Options::default(), &limits(seed)).expect("a placement");
        assert!((found.seconds * 1e3 - 11.080523).abs() < 5e-7, "seed {seed}: {}", found.seconds);
        assert_eq!(found.seconds, referee.seconds);
        let fifth = found.device_of[4];
        assert_eq!(found.device_of.iter().filter(|&&d| d == fifth).count(), 1, "seed {seed}");
        assert!(table.excess(&found.device_of).none());
        assert_eq!(found.report.stop_reason, StopReason::Proved);
        placements.push(found.device_of);
    }
    placements.sort();
    placements.dedup();
    assert!(placements.len() > 1, "several placements reach the optimum");
}

#[test]
fn the_predictor_of_pooling_counts_what_joins_the_window() {
    let text = "name = 'x'\n[[layer]]\nname = 'p'\nkind = 'pooling'\nchannels = 16\nheight = 65\nwidth = 64\nwindow = 3\nstride = 2";
    let table = LayerFile::parse(text).and_then(|file| file.table(&[1.0], &[1 << 30])).expect("a layer");
    // 33 x 32 outputs of each channel, eight operations each; inputs and outputs are stored, and nothing else.
    assert_eq!(table.seconds[0][0], f64::from(16 * 33 * 32 * 8));
    assert_eq!(table.bytes[0][0], 4 * 16 * (65 * 64 + 33 * 32));
}

#[test]
fn where_repair_does_not_do_it_breeding_reaches_the_optimum_in_every_seed() {
    let file = LayerFile::parse(include_str!("../examples/vgg16.toml")).expect("the shipped example");
    let table = file.table(&[RATE; 4], &[1 << 30; 4]).expect("the shipped example");
    let referee = exact(&table, &limits(0)).expect("a placement");
    assert!(referee.report.proved());
    for seed in 0..10 {
        let options = Options { generations: 400, ..Options::default() };
        let found = solve(&table, &options, &limits(seed)).expect("a placement");
        assert!(
            (found.seconds - referee.seconds).abs() < 1e-12 * referee.seconds,
            "seed {seed}: {}",
            found.seconds
        );
        let (first, last) = (found.curve[0], found.curve[found.curve.len() - 1]);
        assert_eq!(found.curve.len() as u64, found.generations + 1);
        assert!(
            first.best_seconds > Some(1.02 * referee.seconds),
            "seed {seed}: repair alone is at {first:?}"
        );
        assert_eq!(last.best_seconds, Some(found.seconds));
        assert!(last.mean_fitness > 1.1 * first.mean_fitness, "seed {seed}: {first:?} {last:?}");
        for pair in found.curve.windows(2) {
            assert!(pair[1].best_seconds <= pair[0].best_seconds);
            assert!(pair[0].mean_fitness <= pair[0].best_fitness * (1.0 + 1e-12));
        }
    }
}

#[test]
fn unequal_memories_and_a_lighter_fifth_layer_match_the_exact_search() {
    // The largest chips hold several layers, the smallest only the small ones.
    let unequal = [2_200_000, 2_200_000, 1_400_000, MEMORY, MEMORY, 1_000_000, 700_000, 600_000];
    let mut lighter = table([2 * MEMORY; 8]);
    for row in &mut lighter.seconds {
        row[4] /= 4.0;
    }
    let cases = [
        ("unequal memories", table(unequal)),
        ("layer 5 lightened", lighter.clone()),
        ("both", LayerTable { device_memory_bytes: unequal.to_vec(), ..lighter }),
    ];
    for (case, table) in cases {
        let referee = exact(&table, &limits(0)).expect(case);
        assert!(referee.report.proved(), "{case}");
        for seed in 0..10 {
            let options = Options { generations: 1_000, ..Options::default() };
            let found = solve(&table, &options, &limits(seed)).expect(case);
            assert!(table.excess(&found.device_of).none(), "{case}, seed {seed}");
            assert_eq!(found.seconds, referee.seconds, "{case}, seed {seed}: {:?}", found.device_of);
        }
    }
}

#[test]
fn unequal_devices_match_the_exact_search() {
    let mut met = 0;
    let problems = 30;
    for seed in 0..problems {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let (layers, devices) = (rng.random_range(6..12), rng.random_range(2..5));
        let table = LayerTable {
            names: (0..layers).map(|i| format!("l{i}")).collect(),
            seconds: (0..devices)
                .map(|_| (0..layers).map(|_| f64::from(rng.random_range(1..40u8))).collect())
                .collect(),
            bytes: vec![(0..layers).map(|_| rng.random_range(1..10)).collect(); devices],
            device_memory_bytes: vec![(10 * layers / devices) as u64; devices],
            message_bytes: vec![0; layers - 1],
        };
        let referee = exact(&table, &limits(0)).expect("a placement");
        let found = solve(&table, &Options { generations: 500, ..Options::default() }, &limits(seed))
            .expect("a placement");
        assert!(found.seconds >= referee.seconds, "seed {seed}: below a proven optimum");
        assert!(
            found.report.bound().value() <= referee.seconds + 1e-12,
            "seed {seed}: a bound above the optimum"
        );
        met += u64::from(found.seconds == referee.seconds);
    }
    assert!(met * 10 >= problems * 9, "only {met} of {problems} optima met");
}

#[test]
fn threads_do_not_change_the_answer_and_seeds_do() {
    let table = LayerTable::uniform(
        (0..60).map(|i| i.to_string()).collect(),
        &(0..60).map(|i| 1.0 + f64::from(i * i % 37) / 5.0).collect::<Vec<_>>(),
        &[1; 60],
        vec![20; 7],
        vec![0; 59],
    );
    let options = Options { generations: 40, ..Options::default() };
    let run = |seed, threads| {
        let mut found = solve(&table, &options, &Limits { threads, ..limits(seed) }).expect("a placement");
        found.report.seconds = 0.0;
        serde_json::to_string(&found).expect("plain data")
    };
    assert_eq!(run(3, 1), run(3, 2));
    assert_ne!(run(3, 1), run(4, 1));
}

#[test]
fn as_many_layers_as_devices_get_one_each_and_nothing_is_searched() {
    let table = LayerTable::uniform(
        vec!["a".into(), "b".into(), "c".into()],
        &[1.0, 5.0, 2.0],
        &[1; 3],
        vec![1; 3],
        vec![0; 2],
    );
    let found = solve(&table, &Options::default(), &limits(0)).expect("a placement");
    assert_eq!(
        (found.device_of, found.report.work, found.generations),
        ([0, 1, 2].map(DeviceId).to_vec(), 1, 0)
    );
}

#[test]
fn fewer_layers_than_devices_leave_devices_idle_where_the_exact_search_does() {
    let names = || vec!["a".to_owned(), "b".to_owned()];
    // Only the first device holds a layer, and it holds both.
    let one = LayerTable::uniform(names(), &[2.0, 3.0], &[50, 50], vec![100, 10, 10], vec![0]);
    // Of three devices one is ten times as fast.
    let mut fast = LayerTable::uniform(names(), &[2.0, 3.0], &[50, 50], vec![100; 3], vec![0]);
    fast.seconds[1] = vec![0.2, 0.3];
    let single = LayerTable::uniform(vec!["a".to_owned()], &[2.0], &[50], vec![100, 10], vec![]);
    for (table, seconds) in [(one, 5.0), (fast, 0.5), (single, 2.0)] {
        let options = Options { generations: 50, ..Options::default() };
        let found = solve(&table, &options, &limits(0)).expect("a placement");
        assert_eq!(found.seconds, seconds);
        assert_eq!(exact(&table, &limits(0)).expect("a placement").seconds, seconds);
    }
}

#[test]
fn a_budget_of_runs_and_broken_options_are_kept_and_refused() {
    let mut table = table([MEMORY; 8]);
    // A lighter fifth layer on larger chips leaves the bound out of reach at once.
    table.device_memory_bytes = vec![2 * MEMORY; 8];
    for row in &mut table.seconds {
        row[4] /= 4.0;
    }
    let budget = Limits { work_limit: Some(150), ..limits(0) };
    let found =
        solve(&table, &Options { stop_at_bound: false, ..Options::default() }, &budget).expect("a placement");
    assert_eq!((found.report.stop_reason, found.report.work), (StopReason::WorkLimit, 150));

    let refused = |options: Options| match solve(&table, &options, &limits(0)) {
        Err(PlacementError::Input(reason)) => reason,
        other => panic!("accepted: {other:?}"),
    };
    assert!(refused(Options { population: 1, ..Options::default() }).contains("population"));
    assert!(refused(Options { elite: 100, ..Options::default() }).contains("elite"));
    assert!(refused(Options { mutation: 1.5, ..Options::default() }).contains("mutation is 1.5"));
    assert!(
        refused(Options { initial: vec![vec![DeviceId(8); 10]], ..Options::default() }).contains("8 devices")
    );
}

#[test]
fn a_layer_no_device_holds_is_named() {
    let table = table([MEMORY - 1; 8]);
    match solve(&table, &Options::default(), &limits(0)) {
        Err(PlacementError::NoPlacement(reason)) => {
            assert!(reason.contains("'conv5' needs 1081344"), "{reason}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn broken_layer_files_are_refused() {
    for (text, part) in [
        ("name = 'x'\nlayer = []", "no [[layer]]"),
        ("name = 'x'\n[[layer]]\nname = 'a'\nkind = 'dense'\nrows = 1\ninputs = 1", "outputs"),
        ("name = 'x'\n[[layer]]\nname = 'a'\nkind = 'maze'", "maze"),
        ("nonsense", "line 1"),
    ] {
        let error = LayerFile::parse(text).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    let huge = "name = 'x'\n[[layer]]\nname = 'a'\nkind = 'dense'\nrows = 9000000000000000000\ninputs = 9\noutputs = 9";
    let error = LayerFile::parse(huge).expect("well formed").table(&[1.0], &[1]).expect_err("too large");
    assert!(error.to_string().contains("'a'"), "{error}");
}

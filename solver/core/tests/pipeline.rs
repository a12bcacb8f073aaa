//! Pipeline schedules against closed forms and against a second, naive simulator.

use ballast_core::device::DeviceId;
use ballast_core::pipeline::{
    Pass, Pipeline, Schedule, ScheduleError, Spec, StageCost, Task, orders, play, simulate,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SCHEDULES: [Schedule; 6] = [
    Schedule::Forward,
    Schedule::GPipe,
    Schedule::OneForwardOneBackward,
    Schedule::Interleaved { chunks: 2 },
    Schedule::Interleaved { chunks: 3 },
    Schedule::ZeroBubble,
];

fn uniform(devices: usize, chunks: usize, micro_batches: usize) -> Pipeline {
    let part = 1.0 / chunks as f64;
    let stage = StageCost {
        forward_seconds: 2.0 * part,
        backward_seconds: 3.0 * part,
        weights_seconds: 1.5 * part,
        stash_bytes: 10.0,
        deferred_bytes: 10.0,
        peak_bytes: [10.0; 3],
        resident_bytes: 100.0,
        ..StageCost::default()
    };
    Pipeline { stages: vec![stage; devices * chunks], devices, micro_batches }
}

/// The closed forms of the papers named in the schedules, for equal stages and free transfers.
#[test]
fn equal_stages_take_the_time_of_the_closed_forms() {
    let (forward, backward, weights) = (2.0, 3.0, 1.5);
    let pass = forward + backward + weights;
    for devices in 1..7 {
        for rounds in 1..5 {
            // At least as many micro-batches as devices: the pipeline fills.
            let micro_batches = rounds * devices;
            let (d, m) = (devices as f64, micro_batches as f64);
            for schedule in SCHEDULES {
                let expected = match schedule {
                    Schedule::Forward => (m + d - 1.0) * forward,
                    Schedule::GPipe | Schedule::OneForwardOneBackward => (m + d - 1.0) * pass,
                    Schedule::Interleaved { chunks } => m * pass + (d - 1.0) * pass / chunks as f64,
                    Schedule::ZeroBubble => m * pass + (d - 1.0) * (forward + backward - weights),
                };
                let pipeline = uniform(devices, schedule.chunks(), micro_batches);
                let timeline = simulate(&pipeline, schedule).unwrap();
                let found = timeline.step_seconds;
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{schedule} {devices} {micro_batches}: {found} {expected}"
                );
                let busy = if schedule == Schedule::Forward { m * forward } else { m * pass };
                assert!((timeline.bubble - (1.0 - busy / expected)).abs() < 1e-9, "{schedule}");
            }
        }
    }
}

/// `time = full + (batch - 1) * slowest stage` for items that only pass through.
#[test]
fn a_batch_through_unequal_stages_takes_full_time_plus_slowest_stage() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..200 {
        let devices = random.random_range(1..8);
        let micro_batches = random.random_range(1..12);
        let stages: Vec<StageCost> = (0..devices)
            .map(|_| StageCost { forward_seconds: random.random_range(0..50) as f64, ..StageCost::default() })
            .collect();
        let full: f64 = stages.iter().map(|stage| stage.forward_seconds).sum();
        let slowest = stages.iter().map(|stage| stage.forward_seconds).fold(0.0, f64::max);
        let pipeline = Pipeline { stages, devices, micro_batches };
        let found = simulate(&pipeline, Schedule::Forward).unwrap().step_seconds;
        assert_eq!(found, full + (micro_batches - 1) as f64 * slowest);
    }
}

#[test]
fn activations_in_flight_follow_the_closed_forms() {
    for devices in 1..7 {
        for rounds in 1..5 {
            let micro_batches = rounds * devices;
            for schedule in SCHEDULES {
                let pipeline = uniform(devices, schedule.chunks(), micro_batches);
                let timeline = simulate(&pipeline, schedule).unwrap();
                for device in DeviceId::first(devices) {
                    let expected = schedule.in_flight(device, devices, micro_batches);
                    assert_eq!(
                        timeline.in_flight[device], expected,
                        "{schedule}, device {device} of {devices}"
                    );
                    let resident = 100.0 * schedule.chunks() as f64;
                    assert_eq!(timeline.peak_bytes[device], resident + 10.0 * expected as f64);
                    assert_eq!(timeline.memory[device].last().unwrap().1, resident, "all is released");
                }
            }
        }
    }
    for (device, expected) in [(0, 3), (1, 3), (2, 2), (3, 1)] {
        assert_eq!(Schedule::OneForwardOneBackward.in_flight(DeviceId(device), 4, 3), expected);
    }
}

/// Two stages, each beside devices that run nothing.
#[test]
fn devices_that_run_nothing_are_no_stages() {
    let counts = [false, true, false, true, false];
    for schedule in SCHEDULES.into_iter().filter(|schedule| schedule.chunks() == 1) {
        let spec = Spec { schedule, micro_batches: 6 };
        let two = uniform(2, 1, 6);
        let alone = simulate(&two, schedule).unwrap();
        let idle = StageCost { resident_bytes: 5.0, ..StageCost::default() };
        let stages = counts.map(|counts| if counts { two.stages[0] } else { idle });
        let among = play(spec, &stages, &counts).unwrap();
        assert_eq!(among.step_seconds, alone.step_seconds, "{schedule}");
        // Two fifths of the devices' time are busy as they were.
        assert!((1.0 - among.bubble - 0.4 * (1.0 - alone.bubble)).abs() < 1e-12, "{schedule}");
        assert_eq!(among.in_flight, [0, alone.in_flight[0], 0, alone.in_flight[1], 0]);
        assert_eq!(among.peak_bytes, [5.0, alone.peak_bytes[0], 5.0, alone.peak_bytes[1], 5.0]);
        assert!(among.tasks[3].iter().all(|timed| timed.task.stage == 3), "tasks name the device's stage");
        assert_eq!(among.tasks[1].len() + among.tasks[3].len(), alone.tasks.iter().flatten().count());
        let held = spec.in_flight(&counts).unwrap();
        let of_two = spec.in_flight_of_all(2).unwrap();
        assert_eq!((&held[1], &held[3]), (&of_two[0], &of_two[1]), "{schedule}");
        assert!([0, 2, 4].iter().all(|&device| held[device].moments.is_empty()), "{schedule}");
    }
    // 1F1B: min(S - s, M) of two stages.
    let spec = Spec { schedule: Schedule::OneForwardOneBackward, micro_batches: 6 };
    let held = spec.in_flight(&counts).unwrap();
    let held: Vec<usize> = held.iter().map(|device| device.micro_batches(0)).collect();
    assert_eq!(held, [0, 2, 0, 1, 0]);
    assert!(matches!(spec.in_flight(&[false; 3]), Err(ScheduleError::Empty)));
    // Where devices run several stages the order counts all of them.
    let spec = Spec { schedule: Schedule::Interleaved { chunks: 2 }, micro_batches: 6 };
    assert_eq!(spec.in_flight(&[true, false, true, true]), spec.in_flight_of_all(4));
}

/// Start and end of every task by relaxation until nothing moves: no events, no queue.
fn naive(pipeline: &Pipeline, schedule: Schedule) -> Vec<Vec<(Task, f64, f64)>> {
    let orders = orders(schedule, pipeline.devices, pipeline.micro_batches).unwrap();
    let mut times: Vec<Vec<(Task, f64, f64)>> =
        orders.into_iter().map(|order| order.into_iter().map(|task| (task, 0.0, 0.0)).collect()).collect();
    let last = pipeline.stages.len() - 1;
    loop {
        let end_of = |wanted: Task, times: &Vec<Vec<(Task, f64, f64)>>| {
            times.iter().flatten().find(|entry| entry.0 == wanted).map_or(0.0, |entry| entry.2)
        };
        let mut moved = false;
        for device in 0..pipeline.devices {
            for at in 0..times[device].len() {
                let task = times[device][at].0;
                let cost = pipeline.stages[task.stage];
                let other = |stage, pass| Task { stage, micro_batch: task.micro_batch, pass };
                let mut start = if at > 0 { times[device][at - 1].2 } else { 0.0 };
                let seconds = match task.pass {
                    Pass::Forward => {
                        if task.stage > 0 {
                            let sent = pipeline.stages[task.stage - 1].send_forward_seconds;
                            start = start.max(end_of(other(task.stage - 1, Pass::Forward), &times) + sent);
                        }
                        cost.forward_seconds
                    }
                    Pass::Backward => {
                        start = start.max(end_of(other(task.stage, Pass::Forward), &times));
                        if task.stage < last {
                            let sent = pipeline.stages[task.stage + 1].send_backward_seconds;
                            start = start.max(end_of(other(task.stage + 1, Pass::Backward), &times) + sent);
                        }
                        let split = schedule == Schedule::ZeroBubble;
                        cost.backward_seconds + if split { 0.0 } else { cost.weights_seconds }
                    }
                    Pass::Weights => cost.weights_seconds,
                };
                let new = (task, start, start + seconds);
                moved |= times[device][at] != new;
                times[device][at] = new;
            }
        }
        if !moved {
            return times;
        }
    }
}

/// Most bytes on a device over its tasks, each counted from nothing.
fn naive_peak(pipeline: &Pipeline, tasks: &[(Task, f64, f64)], device: usize) -> f64 {
    let resident: f64 = (0..pipeline.stages.len())
        .filter(|s| s % pipeline.devices == device)
        .map(|s| pipeline.stages[s].resident_bytes)
        .sum();
    let place = |task: Task| tasks.iter().position(|entry| entry.0 == task);
    let mut peak = resident;
    for (at, &(now, _, _)) in tasks.iter().enumerate() {
        let mut bytes = resident;
        for &(task, _, _) in tasks.iter().filter(|entry| entry.0.pass == Pass::Forward) {
            let cost = pipeline.stages[task.stage];
            // Between two passes of its own, none of which runs now.
            let between = |from: Pass, to: Pass| {
                let (from, to) = (place(Task { pass: from, ..task }), place(Task { pass: to, ..task }));
                from.is_some_and(|from| from < at) && to.is_some_and(|to| at < to)
            };
            if between(Pass::Forward, Pass::Backward) {
                bytes += cost.stash_bytes;
            }
            if between(Pass::Backward, Pass::Weights) {
                bytes += cost.deferred_bytes;
            }
        }
        let [forward, backward, weights] = pipeline.stages[now.stage].peak_bytes;
        bytes += match now.pass {
            Pass::Forward => forward,
            Pass::Backward => backward,
            Pass::Weights => weights,
        };
        peak = f64::max(peak, bytes);
    }
    peak
}

#[test]
fn the_naive_simulator_agrees_on_a_thousand_random_pipelines() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for round in 0..1000 {
        let schedule = SCHEDULES[round % SCHEDULES.len()];
        let devices = random.random_range(1..5);
        let micro_batches = devices * random.random_range(1..4);
        let mut cost = || random.random_range(0..20) as f64 / 4.0;
        let stages = (0..devices * schedule.chunks())
            .map(|_| {
                let (stash_bytes, deferred_bytes) = (cost(), cost());
                // A pass holds at least what is there when it starts, and when it ends.
                let least = [stash_bytes, f64::max(stash_bytes, deferred_bytes), deferred_bytes];
                StageCost {
                    update_seconds: cost(),
                    forward_seconds: cost(),
                    backward_seconds: cost(),
                    weights_seconds: cost(),
                    send_forward_seconds: cost(),
                    send_backward_seconds: cost(),
                    stash_bytes,
                    deferred_bytes,
                    peak_bytes: least.map(|bytes| bytes + cost()),
                    resident_bytes: cost(),
                }
            })
            .collect();
        let pipeline = Pipeline { stages, devices, micro_batches };
        let timeline = simulate(&pipeline, schedule).unwrap();
        let expected = naive(&pipeline, schedule);
        let found: Vec<Vec<(Task, f64, f64)>> = timeline
            .tasks
            .iter()
            .map(|list| list.iter().map(|timed| (timed.task, timed.start, timed.end)).collect())
            .collect();
        assert_eq!(found, expected, "{schedule}, {pipeline:?}");
        for (device, tasks) in expected.iter().enumerate() {
            let most = timeline.memory[device].iter().map(|&(_, bytes)| bytes).fold(0.0, f64::max);
            assert_eq!(timeline.peak_bytes[device], most);
            assert_eq!(timeline.peak_bytes[device], naive_peak(&pipeline, tasks, device));
        }
        let updates = |device: usize| -> f64 {
            pipeline.stages.iter().skip(device).step_by(devices).map(|stage| stage.update_seconds).sum()
        };
        let last = expected.iter().flatten().map(|entry| entry.2).fold(0.0, f64::max);
        let step = last + (0..devices).map(updates).fold(0.0, f64::max);
        let passes: f64 = expected.iter().flatten().map(|entry| entry.2 - entry.1).sum();
        let busy = passes + (0..devices).map(updates).sum::<f64>();
        assert_eq!(timeline.step_seconds, step);
        let bubble = if step > 0.0 { 1.0 - busy / (step * devices as f64) } else { 0.0 };
        assert!((timeline.bubble - bubble).abs() < 1e-12);
    }
}

#[test]
fn every_pass_runs_once_wherever_micro_batches_are_few() {
    for schedule in SCHEDULES {
        for devices in 1..6 {
            for micro_batches in 1..9 {
                let pipeline = uniform(devices, schedule.chunks(), micro_batches);
                let interleaved = matches!(schedule, Schedule::Interleaved { .. });
                match simulate(&pipeline, schedule) {
                    Ok(timeline) => {
                        let passes = match schedule {
                            Schedule::Forward => 1,
                            Schedule::ZeroBubble => 3,
                            _ => 2,
                        };
                        let mut seen: Vec<Task> =
                            timeline.tasks.iter().flatten().map(|timed| timed.task).collect();
                        assert_eq!(seen.len(), passes * micro_batches * pipeline.stages.len());
                        let key = |task: &Task| (task.stage, task.micro_batch, task.pass as usize);
                        seen.sort_by_key(key);
                        seen.dedup();
                        assert_eq!(seen.len(), passes * micro_batches * pipeline.stages.len());
                    }
                    Err(failure) => {
                        assert!(interleaved && micro_batches % devices > 0, "{schedule}: {failure}");
                    }
                }
            }
        }
    }
}

#[test]
fn names_round_trip_and_nonsense_is_refused() {
    for schedule in SCHEDULES {
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
    }
    for name in ["", "2f2b", "interleaved:1", "interleaved:", "interleaved:x", "GPIPE"] {
        assert!(matches!(name.parse::<Schedule>(), Err(ScheduleError::Unknown { .. })), "{name}");
    }
    assert_eq!(orders(Schedule::GPipe, 0, 1), Err(ScheduleError::Empty));
    assert_eq!(orders(Schedule::GPipe, 1, 0), Err(ScheduleError::Empty));
    let mut pipeline = uniform(2, 1, 2);
    pipeline.stages[1].send_forward_seconds = f64::NAN;
    assert_eq!(simulate(&pipeline, Schedule::GPipe), Err(ScheduleError::Cost { stage: 1 }));
    pipeline.stages.pop();
    let wrong = ScheduleError::Stages { given: 1, devices: 2, chunks: 1 };
    assert_eq!(simulate(&pipeline, Schedule::GPipe), Err(wrong));
}

//! Placements for programs whose memory has been planned: searched again with what the plans came to, or made without a search.

use std::collections::HashSet;

use ballast_core::device::DeviceId;
use ballast_core::limits::Deadline;
use ballast_core::program::Program;

use crate::error::Error;
use crate::free::{self, Next};
use crate::items::Items;
use crate::judge::Judge;
use crate::loads::Links;
use crate::options::{Method, Options, check};
use crate::packed::packed;
use crate::plan::{Partition, plan, search};
use crate::proposer::Task;
use crate::squeeze::{Measured, Prices};

/// Partitions again with what memory plans of earlier placements came to, the last of `rounds` the latest.
///
/// The free search (`method=auto`) learns from them what memory over a cap costs each device, and searches for the placement whose
/// plans would be fastest, from [`Options::start`] on. The other methods know no such price: for them the costs of a stage's ops are scaled so that its
/// computation takes the seconds measured last, recomputation and swaps included. The report's figures are in the seconds searched with.
///
/// `seconds[device]`: seconds of the whole stage, transfers between devices included; a device without an
/// entry or without computation keeps its costs.
///
/// # Errors
/// As [`plan`].
pub fn repartition(
    program: &Program<'_>,
    options: &Options,
    rounds: &[Measured<'_>],
) -> Result<Partition, Error> {
    let Program { graph, costs, cluster } = *program;
    check(program, options)?;
    let fits = |device_of: &[DeviceId]| {
        device_of.len() == graph.ops.len() && device_of.iter().all(|d| d.0 < cluster.devices.len())
    };
    let Some(last) = rounds.last().filter(|_| rounds.iter().all(|round| fits(round.device_of))) else {
        return Err(Error::Shape("the earlier plan does not fit the program and the cluster".into()));
    };
    if options.method == Method::AUTO {
        return search(program, options, Some(rounds), false);
    }
    let factor: Vec<f64> = program
        .stages(last.device_of)
        .iter()
        .map(|stage| {
            let transfers = stage.receive_seconds + stage.send_seconds;
            let measured = last.seconds.get(stage.device.0).map(|seconds| seconds - transfers);
            match measured {
                Some(seconds) if seconds.is_finite() && seconds > 0.0 && stage.compute_seconds > 0.0 => {
                    seconds / stage.compute_seconds
                }
                _ => 1.0,
            }
        })
        .collect();
    let mut scaled = costs.clone();
    for row in &mut scaled.seconds {
        for (op, seconds) in row.iter_mut().enumerate() {
            *seconds *= factor[last.device_of[op]];
        }
    }
    search(&Program { graph, costs: &scaled, cluster }, options, None, false)
}

/// Placements next to [`Options::start`], which `round` tells of: for a caller who makes the plans of each. None but for the free search (`method=auto`).
///
/// # Errors
/// As [`plan`].
pub fn neighbours(
    program: &Program<'_>,
    options: &Options,
    round: &Measured<'_>,
    wanted: Next,
) -> Result<Vec<Vec<DeviceId>>, Error> {
    check(program, options)?;
    let Program { graph, costs, .. } = *program;
    let Some(given) = options.start.as_deref().filter(|_| options.method == Method::AUTO) else {
        return Ok(Vec::new());
    };
    let judge = Judge::new(program, options);
    let prices = Prices::just(program.devices(), &judge.samples(&[*round]));
    let items = Items::new(graph, costs, (options.granularity, options.order), program.devices());
    let (caps, links) = (judge.caps_for_stages(), Links::new(program.cluster));
    let index = items.sequence.index();
    let deadline = Deadline::on(options.clock, options.limits.time_limit_seconds);
    let task = Task {
        program: *program,
        items: &items,
        index: &index,
        links: &links,
        caps: judge.memory_matters(&items.ops, &caps).then_some(&caps[..]),
        prices: &prices,
        copies: options.copies,
        relax_limit: judge.relax_limit,
        measured: true,
        start: given,
        best: given,
        given: Some(given),
        floor_seconds: 0.0,
        limits: options.limits,
        deadline: &deadline,
    };
    let mut found = free::next_to(&task, given, (wanted, options.use_all_devices));
    found.retain(|next| is_as_busy(program, options, next));
    Ok(found)
}

/// Does a placement leave no more devices idle than the one to start from, where all are to be used?
fn is_as_busy(program: &Program<'_>, options: &Options, device_of: &[DeviceId]) -> bool {
    let used = |device_of: &[DeviceId]| {
        let devices: HashSet<DeviceId> = program.graph.planned().map(|op| device_of[op]).collect();
        devices.len()
    };
    let before = options.start.as_deref().map_or(program.devices(), used);
    !options.use_all_devices || used(device_of) >= before
}

/// How many placements [`simple`] makes at most.
pub const SIMPLE_PLACEMENTS: usize = 3;

/// A placement that needs no search, by number, none beyond the last: the folded layers, the cut of the sequence under the caps, and what stays on devices
/// packed under them. Only for the free
/// search (`method=auto`), which goes on from anywhere; the other methods have their own class of placements.
///
/// # Errors
/// As [`plan`].
pub fn simple(
    program: &Program<'_>,
    options: &Options,
    number: usize,
) -> Result<Option<Vec<DeviceId>>, Error> {
    check(program, options)?;
    if options.method != Method::AUTO || number >= SIMPLE_PLACEMENTS {
        return Ok(None);
    }
    if number == 1 {
        let cut = plan(program, &Options { method: Method::DP, start: None, ..options.clone() })?.device_of;
        return Ok(Some(cut).filter(|cut| is_as_busy(program, options, cut)));
    }
    let Program { graph, costs, cluster } = *program;
    let deadline = Deadline::on(options.clock, options.limits.time_limit_seconds);
    let items = Items::new(graph, costs, (options.granularity, options.order), program.devices());
    if number == 2 {
        let judge = Judge::new(program, options);
        let caps = (&judge.caps_for_stages()[..], judge.relax_limit);
        let packed = packed(&items.ops, &Links::new(cluster), caps, &deadline);
        let placed = packed.map(|packed| items.place(graph, &packed));
        return Ok(placed.filter(|placed| is_as_busy(program, options, placed)));
    }
    let folded = free::folded(*program, &items.ops, &deadline).map(|folded| items.place(graph, &folded));
    match folded.filter(|placed| is_as_busy(program, options, placed)) {
        Some(folded) => Ok(Some(folded)),
        None => simple(program, options, 1),
    }
}

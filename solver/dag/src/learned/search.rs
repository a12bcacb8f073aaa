//! Plans from the learned placer: one pass, some drawn ones, and where there is time, learning on the graph itself.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::bound::{WorkPrices, simple_bound};
use crate::check::check;
use crate::hypergraph::Hypergraph;
use crate::learned::board::Board;
use crate::learned::ppo::{Placer, Rates, Trainer};
use crate::problem::PlanClass;
use crate::session::Session;

/// Placements drawn from the policy after the likeliest one.
const DRAWN: usize = 15;

/// Updates on the graph where no time limit is given.
const EARLY_UPDATES: usize = 30;

/// Rates of learning on one graph: smaller steps than in training, for there is no other graph to keep up with.
const REFINING: Rates = Rates { policy_rate: 5e-4, value_rate: 1e-3, entropy_weight: 0.003, episodes: 8 };

/// Looks for plans of either class with the learned placer. Where it came to none, a device that can run all is the answer.
pub(crate) fn search(session: &mut Session<'_>) {
    learned(session);
    if session.best.is_some() || session.learner_failure.is_some() {
        return;
    }
    let kinds = (0..session.problem.kinds.len()).map(|kind| session.problem.devices_of(kind));
    for device in kinds.filter_map(|mut devices| devices.next()).collect::<Vec<_>>() {
        let all_on_it = vec![device; session.problem.nodes.len()];
        if check(session.problem, session.class, &all_on_it).is_ok() {
            session.offer(all_on_it, "one-device");
        }
    }
}

/// Searches with the placer.
fn learned(session: &mut Session<'_>) {
    let graph = Hypergraph::of(session.problem);
    session.prove(simple_bound(&graph, &WorkPrices::fit(&graph)));
    let placer = match session.placer.cloned().map_or_else(Placer::pretrained, Ok) {
        Ok(placer) => placer,
        Err(error) => {
            session.learner_failure = Some(error.to_string());
            return;
        }
    };
    // A contiguous plan is a free one too, and easier to find: its devices have an order.
    let classes: &[PlanClass] = match session.class {
        PlanClass::Contiguous => &[PlanClass::Contiguous],
        PlanClass::Free => &[PlanClass::Contiguous, PlanClass::Free],
    };
    let boards: Vec<Board> = classes.iter().map(|&class| Board::new(session.problem, class)).collect();
    let mut random = ChaCha8Rng::seed_from_u64(session.limits.seed);
    let clock = session.clock;
    session.report_phase("placing");
    for (pass, board) in (0..=DRAWN).flat_map(|pass| boards.iter().map(move |board| (pass, board))) {
        if session.over(0) {
            return;
        }
        let Some(episode) = placer.place(board, (pass > 0).then_some(&mut random), &clock) else { return };
        session.work += board.steps() as u64;
        if let Some(placement) = episode.placement {
            session.offer(board.assignment(&placement), "rl");
        }
    }
    let mut trainer = match Trainer::resume(None, placer) {
        Ok(trainer) => trainer,
        Err(error) => {
            tracing::warn!("the placer is not refined: {error}");
            session.learner_failure = Some(error.to_string());
            return;
        }
    };
    for (updates, board) in boards.iter().cycle().enumerate() {
        if session.over(0) || session.proved() || session.finish_early && updates >= EARLY_UPDATES {
            break;
        }
        session.report_phase("learning on the graph");
        let mut best: Option<(f64, Vec<usize>)> = None;
        let offer = |placement: &[usize], value: f64| {
            if best.as_ref().is_none_or(|(known, _)| value < *known) {
                best = Some((value, placement.to_vec()));
            }
        };
        let learned = trainer.update(board, &REFINING, &mut random, &clock, offer);
        if let Some((_, placement)) = best {
            session.offer(board.assignment(&placement), "rl");
        }
        session.work += (REFINING.episodes * board.steps()) as u64;
        match learned {
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(error) => {
                tracing::warn!("the placer is not refined further: {error}");
                return;
            }
        }
    }
}

//! The ways to plan a program, and whose turn it is.

use super::Args;
use super::forms::Form;
use super::learned::Learned;
use super::planner::{BOUNDLESS, SPREAD, STACKS, named, predicted};
use super::search::Search;
use super::tried::Try;
use crate::run::plan::StageFigures;

/// One way to plan.
pub(super) struct Route<'a> {
    /// Which form of the program.
    pub(super) form: usize,
    /// Model of what XLA stores.
    pub(super) fusion: &'a str,
    pub(super) search: Search,
}

impl Route<'_> {
    /// Is nothing known yet of how its model, which counts every value, and XLA, which fuses most of them, go together?
    pub(super) fn is_uncalibrated(&self) -> bool {
        self.fusion == SPREAD && self.search.tries.is_empty()
    }
}

/// How many bytes a model counts for one that XLA takes of a form, what is held around it left out, at least one; and the cap in bytes of the model: as much of
/// the form's unplanned peak as the cap is of what XLA takes for the form.
pub(super) fn calibrated(cap_bytes: u64, unplanned: &StageFigures, form: &Form) -> (f64, u64) {
    let own = |bytes: u64| bytes.saturating_sub(form.around_bytes).max(1) as f64;
    let factor = (unplanned.unplanned_peak_bytes as f64 / own(form.measured_bytes)).max(1.0);
    (factor, (own(cap_bytes) * factor) as u64 + form.around_bytes)
}

/// The ways to plan, the most promising first.
pub(super) fn routes<'a>(args: &'a Args, forms: &[Form], cap_bytes: u64) -> Vec<Route<'a>> {
    let predicted = predicted(args);
    // With opened loops first: then every iteration can be planned.
    let mut routes = Vec::new();
    for (form, found) in forms.iter().enumerate().rev() {
        // Where XLA would make one op of many, storing every value is what lets a plan drop some of them.
        let all = [predicted, SPREAD];
        if found.is_paired() {
            let search = Search::new(cap_bytes, args.within);
            routes.push(Route { form, fusion: STACKS, search });
            continue;
        }
        let models = if named(&args.remat).is_some() { &all[..1] } else { &all[..] };
        for fusion in models {
            let search = Search::new(cap_bytes, args.within);
            // What fits as it is needs no plan, whatever a prediction says.
            let search = Search { unplanned_fits: found.measured_bytes <= cap_bytes, ..search };
            routes.push(Route { form, fusion, search });
        }
    }
    // What keeps the cap as it is comes before any plan; otherwise the order stays.
    routes.sort_by_key(|route| !route.search.unplanned_fits);
    routes
}

/// The ways to plan once all forms are known: that of paired loops goes on from where it was before.
pub(super) fn continued<'a>(
    args: &'a Args,
    forms: &[Form],
    cap_bytes: u64,
    before: Vec<Route<'a>>,
) -> Vec<Route<'a>> {
    let mut routes = routes(args, forms, cap_bytes);
    let followed = before.into_iter().find(|route| route.fusion == STACKS);
    if let Some((route, followed)) = routes.iter_mut().find(|route| route.fusion == STACKS).zip(followed) {
        *route = Route { form: route.form, ..followed };
    }
    routes
}

/// The route to try next, and the cap to ask for. Until one keeps the cap, all take turns; then that one is followed, to its end or, where it costs more operations than
/// [`CHEAP`] times those of the program without a plan, or its margin, for [`FOLLOWED`] tries: then the others have their turn.
pub(super) fn next_route(routes: &[Route<'_>], least_flops: Option<f64>) -> Option<(usize, u64)> {
    let fits = |route: &Route<'_>| route.search.tries.iter().any(|tried| tried.fits);
    let found = routes.iter().any(fits);
    let fitting = || routes.iter().flat_map(|route| &route.search.tries).filter(|tried| tried.fits);
    let cheap = |tried: &Try| {
        let most = tried.margin.max(CHEAP);
        least_flops.zip(tried.compared_flops).is_some_and(|(least, flops)| flops <= most * least)
    };
    // What keeps the cap without a plan cannot be beaten, unless its author computes some of it twice. Where a plan that changes nothing misses the cap, as it
    // holds ops back, the form it was made from is there as it is.
    let kept = |route: &Route<'_>, tried: &Try| tried.fits || route.search.unplanned_fits;
    let is_enough = |tried: &Try| tried.free && (least_flops.is_none() || cheap(tried));
    if routes
        .iter()
        .any(|route| route.search.tries.iter().any(|tried| kept(route, tried) && is_enough(tried)))
    {
        return None;
    }
    let done = fitting().any(cheap);
    let flops = |tried: &Try| tried.compared_flops.unwrap_or(f64::INFINITY);
    let fewest = fitting().map(flops).fold(f64::INFINITY, f64::min);
    // Above the cap, but for so much less that it may be worth some memory.
    let promises = |route: &Route<'_>| route.search.tries.iter().any(|tried| flops(tried) * CHEAP < fewest);
    let nearly = |route: &Route<'_>| {
        let most = route.search.cap_bytes as f64 * (1.0 + NEARLY);
        let last = route.search.tries.last();
        last.is_some_and(|tried| tried.measured_bytes as f64 <= most && flops(tried) * CHEAP < fewest)
    };
    let others = |route: &Route<'_>| !done && (route.search.tries.len() < OTHER_TRIES || promises(route));
    let may = |route: &Route<'_>| !found || fits(route) || others(route);
    let open = routes.iter().enumerate().filter(|(_, route)| may(route));
    let open = open.filter_map(|(index, route)| Some((index, route.search.next()?)));
    let latest = routes.iter().map(|route| route.form).max().unwrap_or(0);
    open.min_by_key(|&(index, _)| {
        let route = &routes[index];
        // A form that was taken further has its second turn before one that was not has its first.
        let turn = route.search.tries.len() + (latest - route.form);
        // And what the first turn taught is tried before anything else.
        let turn = turn - usize::from(route.search.learned.is_some() && turn > 0);
        let waits =
            if fits(route) { !done && route.search.tries.len() >= FOLLOWED } else { found && !nearly(route) };
        (waits, !route.search.unplanned_fits, turn, index)
    })
}

/// Where no plan keeps the cap: the route that came nearest of those that more time may help, and the cap to ask for.
pub(super) fn with_more_time(routes: &mut [Route<'_>]) -> Option<(usize, u64)> {
    if routes.iter().any(|route| route.search.tries.iter().any(|tried| tried.fits)) {
        return None;
    }
    let measured = |route: &Route<'_>| route.search.tries.iter().map(|tried| tried.measured_bytes).min();
    let waiting = routes.iter().enumerate().filter(|(_, route)| route.search.wants_time());
    let (index, _) = waiting.min_by_key(|&(index, route)| (measured(route).unwrap_or(u64::MAX), index))?;
    Some((index, routes[index].search.again()))
}

/// Where XLA takes another amount for the plan to write than it says: its route, which makes it once more with what was learned, and the cap to ask for. `taught`
/// is what that plan taught.
pub(super) fn to_say_again(
    routes: &mut [Route<'_>],
    (chosen, taught): (&Try, Option<&Learned>),
    cap_bytes: u64,
) -> Option<(usize, u64)> {
    let made = |route: &Route<'_>| route.search.tries.iter().any(|tried| tried == chosen);
    let (index, route) = routes.iter_mut().enumerate().find(|(_, route)| made(route))?;
    let mut asked_bytes = route.search.learned.as_ref()?.asked(cap_bytes);
    if !(chosen.understates() || chosen.is_far_off()) || route.search.said_again {
        return None;
    }
    // One that takes far less than it says is the plan to make, and no other one that is as little known.
    if !chosen.understates() && route.fusion != STACKS {
        let taught = taught?;
        asked_bytes = taught.asked(chosen.measured_bytes);
        route.search.learned = Some(taught.clone());
    } else {
        asked_bytes = asked_bytes.max(chosen.asked_bytes);
    }
    route.search.said_again = true;
    // A plan that keeps the cap as it is was asked for none, and is again.
    Some((index, if chosen.asked_bytes == BOUNDLESS { BOUNDLESS } else { asked_bytes }))
}

/// Operations of a plan that is not worth beating by another route, as a multiple of those without a plan.
pub(super) const CHEAP: f64 = 1.02;
/// A plan above the cap by at most this share of it that computes less than all that keep it is mended before these are bettered.
pub(super) const NEARLY: f64 = 0.03;
/// Tries of a route that keeps the cap before others have their turn, and tries of those that do not compute less.
pub(super) const FOLLOWED: usize = 3;
pub(super) const OTHER_TRIES: usize = 2;

#[cfg(test)]
mod tests {
    use super::super::forms::{AS_IS, Form, LOOPS};
    use super::super::learned::Learned;
    use super::super::search::tests::a_try;
    use super::super::tried::best;
    use super::{
        Route, SPREAD, Search, StageFigures, Try, calibrated, next_route, to_say_again, with_more_time,
    };
    use ballast_core::device::DeviceId;

    fn route(tries: Vec<Try>) -> Route<'static> {
        let search = Search { tries, ..Search::new(1000, 0.03) };
        Route { form: 0, fusion: SPREAD, search }
    }

    #[test]
    fn a_model_that_counts_every_value_is_asked_for_its_own_share() {
        let form = Form {
            name: AS_IS.to_owned(),
            file: std::path::PathBuf::new(),
            function: String::new(),
            around_bytes: 0,
            measured_bytes: 500,
            flops: None,
            scale: 1.0,
            margin: 1.0,
        };
        let stage = |unplanned_peak_bytes| StageFigures {
            device: DeviceId(0),
            cap_bytes: 0,
            requested_cap_bytes: 0,
            peak_bytes: 0,
            unplanned_peak_bytes,
            host_peak_bytes: 0,
            seconds: 1.0,
            unplanned_seconds: 1.0,
            temporaries_only: true,
        };
        assert_eq!(calibrated(200, &stage(2000), &form), (4.0, 800));
        // A prediction below the truth is no reason to ask for less than the cap.
        assert_eq!(calibrated(200, &stage(400), &form), (1.0, 200));
        // Of a loop's body, what is held around the loop is the same in both.
        let form = Form { around_bytes: 100, ..form };
        assert_eq!(calibrated(200, &stage(2000), &form), (5.0, 600));
    }

    #[test]
    fn a_plan_that_says_less_than_it_takes_is_made_once_more() {
        let told = |measured, predicted_bytes| Try {
            predicted_bytes,
            expected_bytes: predicted_bytes,
            ..a_try(measured, 2.0, 1000)
        };
        let routes = |tried: &Try, learned| {
            let mut route = route(vec![tried.clone()]);
            route.search.learned = learned;
            [super::Route { form: 1, ..self::route(vec![]) }, route]
        };
        let again = |routes: &mut [super::Route<'_>], tried: &Try| to_say_again(routes, (tried, None), 1000);
        let short = told(900, 800);
        let mut of = routes(&short, Some(Learned::default()));
        assert_eq!(again(&mut of, &short), Some((1, 1000)));
        assert_eq!(again(&mut of, &short), None);
        // Nothing was learned, or it says enough.
        assert_eq!(again(&mut routes(&short, None), &short), None);
        let enough = told(900, 895);
        assert_eq!(again(&mut routes(&enough, Some(Learned::default())), &enough), None);
        // One without a cap is asked for without one.
        let boundless = Try { asked_bytes: 1 << 50, ..short.clone() };
        let mut of = routes(&boundless, Some(Learned::default()));
        assert_eq!(again(&mut of, &boundless), Some((1, 1 << 50)));
        // One that takes far less than it says is made with what it taught, for what it took.
        let long = told(600, 900);
        let mut of = routes(&long, Some(Learned::beside_stacks(1)));
        assert_eq!(again(&mut of, &long), None);
        assert_eq!(to_say_again(&mut of, (&long, Some(&Learned::default())), 1000), Some((1, 600)));
        assert_eq!(of[1].search.learned, Some(Learned::default()));
        assert_eq!(to_say_again(&mut of, (&long, Some(&Learned::default())), 1000), None);
        // Of two that take the same the one is written that says so.
        assert_eq!(best(&[short.clone(), told(900, 900)]), Some(1));
        // Or that says so, and not half as much again.
        assert_eq!(best(&[told(900, 1300), told(900, 920)]), Some(1));
        // So it is at slightly more operations.
        let more = |flops| Try { compared_flops: Some(flops), ..told(900, 900) };
        assert_eq!(best(&[short.clone(), more(2.003)]), Some(1));
        assert_eq!(best(&[short.clone(), more(2.01)]), Some(0));
        // To say too little is worse than to say too much.
        let too_much = Try { compared_flops: Some(2.002), ..told(880, 1000) };
        assert_eq!(best(&[short, too_much]), Some(1));
    }

    #[test]
    fn forms_taken_further_have_two_turns_first() {
        let over = a_try(1500, 2.0, 1000);
        let next = |routes: &[Route<'_>]| next_route(routes, Some(2.0)).map(|(route, _)| route);
        let of = |form, tries| Route { form, ..route(tries) };
        assert_eq!(next(&[of(1, vec![over.clone()]), of(0, vec![])]), Some(0));
        assert_eq!(next(&[of(1, vec![over.clone(), over.clone()]), of(0, vec![])]), Some(1));
        // So does one that learned from its first.
        let mut learned = of(0, vec![over.clone()]);
        learned.search.learned = Some(Learned::default());
        assert_eq!(next(&[learned, of(0, vec![])]), Some(0));
    }

    #[test]
    fn routes_take_turns_until_one_keeps_the_cap_and_that_one_is_followed() {
        let over = a_try(1500, 2.0, 1000);
        let under = Try { asked_bytes: 900, predicted_bytes: 900, ..a_try(800, 3.0, 1000) };
        let next = |routes: &[Route<'_>]| next_route(routes, Some(2.0)).map(|(route, _)| route);
        assert_eq!(next(&[route(vec![]), route(vec![])]), Some(0));
        assert_eq!(next(&[route(vec![over.clone()]), route(vec![])]), Some(1));
        assert_eq!(next(&[route(vec![over.clone()]), route(vec![over.clone()])]), Some(0));
        assert_eq!(next(&[route(vec![over.clone()]), route(vec![over.clone(), under.clone()])]), Some(1));
        // Three dear plans of one, then others have their turn, twice.
        let dear = |asked_bytes, measured_bytes| Try {
            asked_bytes,
            predicted_bytes: asked_bytes,
            ..a_try(measured_bytes, 3.0, 1000)
        };
        let followed = || route(vec![dear(900, 800), dear(920, 820), dear(940, 840)]);
        assert_eq!(next(&[followed(), route(vec![over.clone()])]), Some(1));
        let nearly = Try { compared_flops: Some(2.95), ..over.clone() };
        assert_eq!(next(&[followed(), route(vec![nearly.clone(), nearly])]), Some(0));
        // Or for as long as they compute less.
        assert_eq!(next(&[followed(), route(vec![over.clone(), over.clone()])]), Some(1));
        // One that missed the cap by little and computes less has its turn at once.
        let missed = Try { compared_flops: Some(2.5), ..a_try(1020, 3.0, 1000) };
        let two = || route(vec![dear(900, 800), dear(920, 820)]);
        assert_eq!(next(&[route(vec![over.clone(), missed.clone()]), two()]), Some(0));
        let far = Try { measured_bytes: 1100, ..missed };
        assert_eq!(next(&[route(vec![over.clone(), far]), two()]), Some(1));
        // Near enough: the other one may still find something cheaper.
        let near = a_try(995, 3.0, 1000);
        assert_eq!(next(&[route(vec![near.clone()]), route(vec![over.clone()])]), Some(1));
        // Unless it hardly costs anything.
        let cheap = Try { compared_flops: Some(2.01), ..near.clone() };
        assert_eq!(next(&[route(vec![cheap]), route(vec![over.clone()])]), None);
        let free = Try { free: true, compared_flops: Some(2.0), ..near };
        assert_eq!(next(&[route(vec![free.clone()]), route(vec![])]), None);
        // Where its form keeps the cap as it is, by however much the plan misses it.
        let missed = Try { measured_bytes: 1001, fits: false, ..free.clone() };
        let mut of_kept = route(vec![missed.clone()]);
        assert_eq!(next(&[of_kept, route(vec![])]), Some(1));
        of_kept = route(vec![missed]);
        of_kept.search.unplanned_fits = true;
        assert_eq!(next(&[of_kept, route(vec![])]), None);
        // Without a plan, but with its author's recomputation: another form may need less of it.
        let checkpointed = Try { compared_flops: Some(3.0), ..free };
        assert_eq!(next(&[route(vec![checkpointed]), route(vec![])]), Some(1));
        // Fewer operations first, then less memory, whatever the route.
        assert_eq!(best(&[over, under.clone(), a_try(900, 3.0, 1000), a_try(900, 2.5, 1000)]), Some(3));
        assert_eq!(best(&[under.clone(), Try { measured_bytes: 700, ..under }]), Some(1));
    }

    #[test]
    fn what_had_too_little_time_is_come_back_to_where_nothing_keeps_the_cap() {
        let ran_out = |tries| {
            let route = route(tries);
            Route { search: Search { closed: true, ran_out: true, ..route.search }, ..route }
        };
        let over = a_try(1500, 2.0, 1000);
        let nearer = a_try(1200, 2.0, 1000);
        let mut routes = [ran_out(vec![]), ran_out(vec![over.clone()]), ran_out(vec![nearer])];
        let order: Vec<Option<(usize, u64)>> = (0..4).map(|_| with_more_time(&mut routes)).collect();
        assert_eq!(order, [Some((2, 1000)), Some((1, 1000)), Some((0, 1000)), None]);
        let kept = route(vec![a_try(900, 3.0, 1000)]);
        assert_eq!(with_more_time(&mut [ran_out(vec![over]), kept]), None);
    }

    #[test]
    fn loops_that_stay_are_worth_a_tenth() {
        let loops = |flops| Try { margin: LOOPS, ..a_try(900, flops, 1000) };
        assert_eq!(best(&[a_try(900, 100.0, 1000), loops(109.9)]), Some(1));
        assert_eq!(best(&[loops(109.9), a_try(900, 100.0, 1000), loops(101.0)]), Some(2));
        assert_eq!(best(&[loops(110.1), a_try(900, 100.0, 1000)]), Some(1));
        let over = Try { measured_bytes: 1100, fits: false, ..loops(90.0) };
        assert_eq!(best(&[over, a_try(900, 100.0, 1000)]), Some(1));
    }
}

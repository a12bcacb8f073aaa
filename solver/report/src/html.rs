//! The report as one HTML page: tables written here, charts drawn in the browser by uPlot, which the page carries along.
//!
//! uPlot (MIT, `vendor/uplot`) draws lines of 20 000 points on one canvas in milliseconds and is 50 KB small; a crate that writes
//! SVG would put every run and copy into the document as an element of its own, and could not be zoomed into.

use std::fmt::Write as _;

use ballast_core::device::DeviceId;
use ballast_core::explain::{Fate, Verdict, seconds};
use ballast_core::memory::{EventKind, NodeId};
use ballast_core::plan::Plan;
use ballast_core::report::Prover;
use serde_json::json;

use crate::curve::Curve;
use crate::data;
use crate::facts::{Facts, StageFacts};
use crate::units::{Unit, milliseconds};
use crate::words::{short_location, stop, summary};

const CHARTS: &str = include_str!("../vendor/uplot/uPlot.iife.min.js");
const CHARTS_STYLE: &str = include_str!("../vendor/uplot/uPlot.min.css");
const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// Longest tables; what is left out is counted.
const MOST_CHANGED: usize = 400;
const MOST_KEPT: usize = 40;
const MOST_RESIDENT: usize = 25;
/// Smallest value listed at a peak, as a share of it.
const LEAST_SHARE: f64 = 0.001;

/// The whole page; `curves`: overhead against cap of the devices it was asked for, none without.
///
/// # Errors
/// Figures that JSON has no form for, which is a bug.
pub fn page(plan: &Plan, facts: &Facts<'_>, curves: &[Curve]) -> Result<String, serde_json::Error> {
    let data = json!({
        "plan": summary(plan)?,
        "devices": data::devices(plan, facts),
        "step": data::tasks(plan),
        "curves": curves,
    });
    let data = serde_json::to_string(&data)?;
    let title = format!("@{} on {} device{}", plan.function, plan.devices.len(), plural(plan.devices.len()));
    let mut body = String::new();
    head(&mut body, plan, &title);
    stage_tables(&mut body, plan);
    if plan.pipeline.is_some() {
        body.push_str("<section><h2>Step of the pipeline</h2><p class=\"sub\">Every pass of every micro-batch; below, what each device holds for all in flight.</p><div id=\"step\"></div><div id=\"step-memory\"></div></section>\n");
    }
    body.push_str("<section><h2>Memory over the op sequence</h2><p class=\"sub\">Point at an op to see what the device holds then; click to keep it; drag to zoom, double-click to zoom out.</p><div id=\"memory\">");
    for stage in facts.stages.iter().filter(|stage| !stage.explained.events.is_empty()) {
        let device = stage.stage.device;
        let _ = write!(
            body,
            "<h3>Device {}</h3><div class=\"pair\"><div class=\"chart\" id=\"memory-{device}\"></div><div class=\"here\" id=\"here-{device}\"></div></div>",
            device_name(plan, device)
        );
    }
    body.push_str("</div></section>\n<section><h2>Time of every device</h2><p class=\"sub\">");
    body.push_str(if plan.pipeline.is_some() { "One micro-batch on each stage, from its first op to its last." } else { "Each device from its first op to its last; devices run side by side on successive inputs, so the slowest sets the pace." });
    body.push_str("</p><div id=\"timeline\"></div></section>\n");
    curve_section(&mut body, plan, curves);
    for stage in facts.stages.iter().filter(|stage| !stage.explained.events.is_empty()) {
        peak_table(&mut body, plan, facts, stage);
    }
    changed_table(&mut body, facts, Fate::Recomputed);
    changed_table(&mut body, facts, Fate::Swapped);
    kept_table(&mut body, facts);
    curve_table(&mut body, curves);
    let _ = write!(
        body,
        "<footer>ballast {}, plan format {}, program {}. Charts: uPlot 1.6.32, MIT licence.</footer>",
        env!("CARGO_PKG_VERSION"),
        plan.version,
        escape(&plan.fingerprint)
    );
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"color-scheme\" content=\"light dark\"><link rel=\"icon\" href=\"data:,\"><title>{}</title>\n<style>{CHARTS_STYLE}\n{STYLE}</style></head><body>\n{body}\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>{CHARTS}</script>\n<script>{SCRIPT}</script>\n</body></html>\n",
        escape(&title),
        data.replace('<', "\\u003c")
    ))
}

/// Text as HTML shows it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn device_name(plan: &Plan, device: DeviceId) -> String {
    format!("{device} {}", escape(plan.device_name(device)))
}

/// Cells of one row; figures stand to the right.
fn row(text: &mut String, cells: &[(bool, String)]) {
    text.push_str("<tr>");
    for (figure, cell) in cells {
        let _ = write!(text, "<td{}>{cell}</td>", if *figure { " class=\"n\"" } else { "" });
    }
    text.push_str("</tr>\n");
}

fn table(text: &mut String, caption: &str, heads: &[(bool, &str)]) {
    let _ = write!(text, "<div class=\"wide\"><table><caption>{caption}</caption><thead><tr>");
    for (figure, head) in heads {
        let _ = write!(text, "<th{}>{head}</th>", if *figure { " class=\"n\"" } else { "" });
    }
    text.push_str("</tr></thead><tbody>\n");
}

fn end_table(text: &mut String) {
    text.push_str("</tbody></table></div>\n");
}

/// What a bound rests on.
const TRUSTED: &str = "the branch and bound of HiGHS";
const CHECKED: &str = "searches of ours and duals checked here";

fn head(body: &mut String, plan: &Plan, title: &str) {
    let balance = &plan.balance;
    let ratio = balance.ratio.map_or("none".to_owned(), |ratio| format!("{ratio:.3}"));
    let step = match &plan.pipeline {
        Some(pipeline) => format!("{} ms", milliseconds(pipeline.step_seconds)),
        None => format!("{} ms", milliseconds(plan.step_seconds)),
    };
    let mut facts = vec![
        (if plan.pipeline.is_some() { "step" } else { "one step by itself" }, step),
        ("placement", plan.placement.name().to_owned()),
        ("tmax, slowest device", format!("{} ms", milliseconds(balance.tmax_seconds))),
        ("tmin, fastest device", format!("{} ms", milliseconds(balance.tmin_seconds))),
        ("tmax / tmin", ratio),
        ("proven bound on tmax", format!("{} ms", milliseconds(plan.bound_seconds))),
        ("gap", format!("{:.2} %", plan.gap * 100.0)),
        ("bound holds for", escape(plan.bound_class.name())),
        ("bound rests on", if plan.bound_trusts_highs { TRUSTED } else { CHECKED }.to_owned()),
        ("partition by", escape(&plan.partition.method)),
        ("stopped", escape(&stop(plan))),
        ("rounds, seed", format!("{}, {}", plan.rounds, plan.partition.seed)),
        ("planned ops", plan.ops.len().to_string()),
        ("idle devices", balance.idle_devices.to_string()),
    ];
    if let Some(pipeline) = &plan.pipeline {
        facts.insert(
            1,
            ("schedule", format!("{}, {} micro-batches", escape(&pipeline.schedule), pipeline.micro_batches)),
        );
        facts.insert(2, ("devices idle", format!("{:.1} %", pipeline.bubble * 100.0)));
    }
    let _ = write!(body, "<header><h1>{}</h1><dl>", escape(title));
    for (what, value) in facts {
        let _ = write!(body, "<div><dt>{what}</dt><dd>{value}</dd></div>");
    }
    body.push_str("</dl>");
    for note in &plan.notes {
        let _ = write!(body, "<p class=\"note\">{}</p>", escape(note));
    }
    body.push_str("</header>\n");
}

fn stage_tables(body: &mut String, plan: &Plan) {
    let unit = Unit::of(plan.stages.iter().map(|stage| stage.score.unplanned_peak_bytes));
    let cap_unit = Unit::of(plan.stages.iter().map(|stage| stage.cap_bytes));
    let cap_head = if cap_unit == unit { "cap".to_owned() } else { format!("cap, {}", cap_unit.name()) };
    let transfers =
        plan.stages.iter().any(|stage| stage.score.receive_seconds + stage.score.send_seconds > 0.0);
    let caption = format!("Devices: times in ms, memory in {}", unit.name());
    let mut heads = vec![(false, "device"), (true, "ops"), (true, "time"), (true, "compute")];
    if transfers {
        heads.push((true, "transfer"));
    }
    heads.extend([
        (true, "recompute"),
        (true, "swap"),
        (true, "gap %"),
        (false, "found by"),
        (false, "bound by"),
        (true, "weights"),
        (true, "unplanned peak"),
        (true, "peak"),
        (true, &cap_head),
        (true, "recomputes"),
        (true, "swapped"),
    ]);
    body.push_str("<section><h2>Devices</h2>");
    table(body, &caption, &heads);
    for stage in &plan.stages {
        let score = &stage.score;
        let mut cells = vec![
            (false, device_name(plan, score.device)),
            (true, score.ops.to_string()),
            (true, milliseconds(score.seconds)),
            (true, milliseconds(score.compute_seconds)),
        ];
        if transfers {
            cells.push((true, milliseconds(score.receive_seconds + score.send_seconds)));
        }
        let cap = match stage.cap_bytes == stage.requested_cap_bytes {
            true => cap_unit.show(stage.cap_bytes),
            false => {
                format!(
                    "{} (asked {})",
                    cap_unit.show(stage.cap_bytes),
                    cap_unit.show(stage.requested_cap_bytes)
                )
            }
        };
        cells.extend([
            (true, milliseconds(score.recompute_seconds)),
            (true, milliseconds(score.exposed_swap_seconds)),
            (true, format!("{:.3}", stage.report.gap * 100.0)),
            (false, escape(&stage.report.method)),
            (false, stage.report.bound_method.map_or("-", Prover::name).to_owned()),
            (true, unit.show(score.resident_bytes)),
            (true, unit.show(score.unplanned_peak_bytes)),
            (true, unit.show(score.peak_bytes)),
            (true, cap),
            (true, score.recomputes.to_string()),
            (true, unit.show(score.swap_bytes)),
        ]);
        row(body, &cells);
    }
    end_table(body);
    body.push_str("</section>\n");
}

/// Overhead against cap: a chart per device, drawn in the browser.
fn curve_section(body: &mut String, plan: &Plan, curves: &[Curve]) {
    if curves.is_empty() {
        return;
    }
    let held = match plan.pipeline {
        Some(_) => {
            " A cap is what one micro-batch may hold there: what the others hold in this plan is taken off."
        }
        None => "",
    };
    let _ = write!(
        body,
        "<section><h2>Overhead against cap</h2><p class=\"sub\">What recomputation and copies add to the time of a device under other caps: the best plan found for \
         each, which serves larger caps too, and the bound below which no plan gets.{held}</p><div class=\"curves\">"
    );
    for curve in curves {
        let device = curve.device;
        let _ = write!(
            body,
            "<div><h3>Device {}</h3><div id=\"curve-{device}\"></div></div>",
            device_name(plan, device)
        );
    }
    body.push_str("</div></section>\n");
}

/// The figures of the charts.
fn curve_table(body: &mut String, curves: &[Curve]) {
    if curves.is_empty() {
        return;
    }
    body.push_str("<section><h2>Plans for other caps</h2>");
    let unit = Unit::of(curves.iter().map(|curve| curve.unplanned_peak_bytes));
    let cap = format!("cap, {}", unit.name());
    let heads = [
        (true, "device"),
        (true, cap.as_str()),
        (true, "overhead %"),
        (true, "bound %"),
        (false, "proved"),
        (false, "bound holds for"),
    ];
    table(body, "The figures of the charts of overhead against cap", &heads);
    for (device, point, own) in curves.iter().flat_map(Curve::rows) {
        let share = |share: Option<f64>, none: &str| {
            share.map_or_else(|| none.to_owned(), |share| format!("{share:.3}"))
        };
        let found = share(point.overhead_percent, "no plan found");
        row(
            body,
            &[
                (true, device.to_string()),
                (true, unit.show(point.cap_bytes)),
                (true, if own { format!("this plan: {found}") } else { found }),
                (true, share(point.bound_percent, "")),
                (false, if point.proved { "yes" } else { "no" }.to_owned()),
                (false, escape(point.bound_class.unwrap_or_default())),
            ],
        );
    }
    end_table(body);
    body.push_str("</section>\n");
}

/// A location without the frames it was inlined through, the whole of it on hover.
fn location(text: &str) -> String {
    format!("<span title=\"{}\">{}</span>", escape(text), escape(&short_location(text)))
}

fn op_cells(facts: &Facts<'_>, stage: &StageFacts<'_>, node: NodeId) -> [(bool, String); 2] {
    let place = facts.entry(stage, node).map_or("", |entry| &entry.location);
    [(false, escape(&facts.name(stage, node))), (false, location(place))]
}

fn peak_table(body: &mut String, plan: &Plan, facts: &Facts<'_>, stage: &StageFacts<'_>) {
    let Some(peak) = stage.explained.peak else { return };
    let event = stage.explained.events[peak];
    let here = stage.residents(peak);
    let resident = stage.stage.problem.resident_bytes;
    let unit =
        Unit::of(here.iter().map(|&(node, workspace, ..)| stage.size(node, workspace)).chain([resident]));
    let _ = write!(
        body,
        "<section><h2>At the peak of device {}</h2><p class=\"sub\">{} bytes while {} {}.</p>",
        device_name(plan, stage.stage.device),
        event.device_bytes,
        escape(&facts.name(stage, event.node)),
        if event.kind == EventKind::In { "comes back from the host" } else { "runs" },
    );
    let caption = format!("What lies on the device then, {}", unit.name());
    table(
        body,
        &caption,
        &[(true, unit.name()), (false, "value of"), (false, "location"), (false, "why it is there")],
    );
    let entry = |text: &str| (false, text.to_owned());
    if resident > 0 {
        let cells = [
            (true, unit.show(resident)),
            entry("weights and inputs"),
            entry(""),
            entry("resident from start to end"),
        ];
        row(body, &cells);
    }
    // Values of a few bytes say nothing.
    let worth = |&&(node, workspace, ..): &&(NodeId, bool, usize, usize)| {
        stage.size(node, workspace) as f64 >= LEAST_SHARE * event.device_bytes as f64
    };
    let shown = here.iter().filter(worth).count().min(MOST_RESIDENT);
    for &(node, workspace, from, to) in here.iter().take(shown) {
        let [op, place] = op_cells(facts, stage, node);
        let why = match workspace {
            true => "memory it needs while it runs".to_owned(),
            false => stay_reason(facts, stage, node, from, to, peak),
        };
        row(body, &[(true, unit.show(stage.size(node, workspace))), op, place, (false, escape(&why))]);
    }
    let rest: u64 = here.iter().skip(shown).map(|&(node, workspace, ..)| stage.size(node, workspace)).sum();
    if rest > 0 {
        let count = here.len() - shown;
        row(
            body,
            &[(true, unit.show(rest)), entry(&format!("{count} smaller values")), entry(""), entry("")],
        );
    }
    end_table(body);
    body.push_str("</section>\n");
}

/// Why a value lies on the device at an event.
fn stay_reason(
    facts: &Facts<'_>,
    stage: &StageFacts<'_>,
    node: NodeId,
    from: usize,
    to: usize,
    at: usize,
) -> String {
    let events = &stage.explained.events;
    let problem = &stage.stage.problem;
    let uses = |event: usize| {
        let event = &events[event];
        matches!(event.kind, EventKind::Run | EventKind::Again)
            && problem.nodes[event.node].inputs.contains(&node)
    };
    let came = match events.get(from).map(|event| event.kind) {
        Some(EventKind::Again) => "made again; ",
        Some(EventKind::In) => "back from the host; ",
        _ => "",
    };
    if from == at {
        return format!("{came}being made");
    }
    if uses(at) {
        return format!("{came}read now");
    }
    match (at + 1..to.min(events.len())).find(|&event| uses(event)) {
        Some(next) => format!("{came}read next by {}", facts.name(stage, events[next].node)),
        None if problem.nodes[node].keep => format!("{came}returned by the program"),
        None => format!("{came}a copy of it is under way"),
    }
}

fn changed_table(body: &mut String, facts: &Facts<'_>, fate: Fate) {
    let mut all: Vec<(&StageFacts<'_>, &Verdict)> = facts
        .stages
        .iter()
        .flat_map(|stage| stage.of_fate(fate).into_iter().map(move |verdict| (stage, verdict)))
        .collect();
    let size = |(stage, verdict): &(&StageFacts<'_>, &Verdict)| stage.size(verdict.node, false);
    all.sort_by_key(|entry| std::cmp::Reverse(size(entry)));
    let (title, seconds_head, none) = match fate {
        Fate::Swapped => ("Swapped to the host", "copies, ms", "Nothing is swapped."),
        _ => ("Recomputed", "seconds paid, ms", "Nothing is recomputed."),
    };
    let _ = write!(body, "<section><h2>{title}</h2>");
    if all.is_empty() {
        let _ = writeln!(body, "<p class=\"sub\">{none}</p></section>");
        return;
    }
    let unit = Unit::of(all.iter().map(size));
    let paid: f64 = all.iter().map(|(_, verdict)| verdict.seconds).sum();
    let bytes: u64 = all.iter().map(size).sum();
    let caption = format!(
        "{} value{}, {} {} in all, for {}; the largest first",
        all.len(),
        plural(all.len()),
        unit.show(bytes),
        unit.name(),
        seconds(paid)
    );
    let size_head = format!("saved, {}", unit.name());
    table(
        body,
        &caption,
        &[
            (false, "value of"),
            (false, "location"),
            (true, "device"),
            (true, &size_head),
            (true, "times"),
            (true, seconds_head),
            (false, "why"),
            (false, "what would change it"),
        ],
    );
    for (stage, verdict) in all.iter().take(MOST_CHANGED) {
        let [op, place] = op_cells(facts, stage, verdict.node);
        let (why, change) = facts.words(stage, verdict);
        let times = if fate == Fate::Swapped { verdict.times / 2 } else { verdict.times };
        row(
            body,
            &[
                op,
                place,
                (true, stage.stage.device.to_string()),
                (true, unit.show(stage.size(verdict.node, false))),
                (true, times.to_string()),
                (true, milliseconds(verdict.seconds)),
                (false, escape(&why)),
                (false, escape(&change)),
            ],
        );
    }
    end_table(body);
    if all.len() > MOST_CHANGED {
        let _ = write!(
            body,
            "<p class=\"sub\">and {} smaller ones; <code>ballast report --ops</code> lists all.</p>",
            all.len() - MOST_CHANGED
        );
    }
    body.push_str("</section>\n");
}

fn kept_table(body: &mut String, facts: &Facts<'_>) {
    let mut all: Vec<(&StageFacts<'_>, &Verdict)> = facts
        .stages
        .iter()
        .flat_map(|stage| stage.of_fate(Fate::Kept).into_iter().map(move |verdict| (stage, verdict)))
        .collect();
    let size = |(stage, verdict): &(&StageFacts<'_>, &Verdict)| stage.size(verdict.node, false);
    // What idles could have been dropped; what never does comes after it.
    all.sort_by_key(|entry| (entry.1.stretch.is_none(), std::cmp::Reverse(size(entry))));
    if all.is_empty() {
        return;
    }
    let shown = &all[..all.len().min(MOST_KEPT)];
    let unit = Unit::of(shown.iter().map(size));
    body.push_str("<section><h2>Kept</h2>");
    let caption = format!("The largest of {} values kept until their last use, {}", all.len(), unit.name());
    table(
        body,
        &caption,
        &[
            (false, "value of"),
            (false, "location"),
            (true, "device"),
            (true, unit.name()),
            (false, "why"),
            (false, "what would change it"),
        ],
    );
    for (stage, verdict) in shown {
        let [op, place] = op_cells(facts, stage, verdict.node);
        let (why, change) = facts.words(stage, verdict);
        let size = unit.show(stage.size(verdict.node, false));
        row(
            body,
            &[
                op,
                place,
                (true, stage.stage.device.to_string()),
                (true, size),
                (false, escape(&why)),
                (false, escape(&change)),
            ],
        );
    }
    end_table(body);
    body.push_str("</section>\n");
}

//! `ballast report` and `ballast explain` on the plan of a real training step: every figure is the plan file's.

#[path = "support/command.rs"]
mod command;
#[path = "support/refused.rs"]
mod refused;

use std::path::{Path, PathBuf};
use std::process::Command;

use command::ballast;
use refused::fails;
use serde_json::Value;

fn text(folder: &Path, args: &[&str]) -> String {
    let output = ballast(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// A folder with `plan.json`: a small GPT-2's training step under passes with these options.
fn planned(passes: &[&str]) -> (tempfile::TempDir, PathBuf, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().to_owned();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/models/gpt2_tiny_b2_s64.mlir");
    let output = Command::new(Path::new(env!("CARGO_BIN_EXE_ballast")).with_file_name("ballast-opt"))
        .current_dir(&here)
        .arg(model)
        .arg("--allow-unregistered-dialect")
        .args(passes)
        .args(["-o", "/dev/null"])
        .output()
        .expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let plan = std::fs::read_to_string(here.join("plan.json")).expect("written");
    (folder, here, serde_json::from_str(&plan).expect("JSON"))
}

fn on_two_devices() -> (tempfile::TempDir, PathBuf, Value) {
    planned(&[
        "--rl-partition=devices=2 method=dp use-all-devices=true work-limit=1000",
        "--remat=cap=70% solver=greedy work-limit=1000 relax-limit=3 plan-file=plan.json",
    ])
}

fn seconds(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no {key}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

/// What the page's charts are drawn from.
fn data(page: &str) -> Value {
    let after = page.split("id=\"data\">").nth(1).expect("data");
    serde_json::from_str(&after.split("</script>").next().expect("an end").replace("<\\/", "</"))
        .expect("JSON")
}

#[test]
fn every_figure_of_the_page_is_that_of_the_plan_file() {
    let (_keep, here, plan) = on_two_devices();
    text(&here, &["report", "plan.json", "--html", "page.html", "--trace", "trace.json"]);
    let page = std::fs::read_to_string(here.join("page.html")).expect("written");
    let data = data(&page);
    for key in [
        "balance",
        "bound_seconds",
        "bound_class",
        "gap",
        "stop_reason",
        "partition",
        "rounds",
        "notes",
        "devices",
    ] {
        assert_eq!(data["plan"][key], plan[key], "{key}");
    }
    let stages = plan["stages"].as_array().expect("stages");
    let mut recomputes = 0;
    for (drawn, stage) in data["devices"].as_array().expect("devices").iter().zip(stages) {
        let of = |key: &str| stage[key].as_u64().unwrap_or_else(|| panic!("no {key}"));
        let event = &drawn["event"];
        let highest = |value: &Value| numbers(value).into_iter().fold(0.0, f64::max) as u64;
        assert_eq!(highest(&event["held"]), of("peak_bytes"));
        assert_eq!(highest(&drawn["before"]), of("unplanned_peak_bytes"));
        assert_eq!(
            (drawn["cap"].as_u64(), drawn["resident"].as_u64()),
            (Some(of("cap_bytes")), Some(of("resident_bytes")))
        );
        let again = numbers(&event["kind"]).into_iter().filter(|&kind| kind == 1.0).count() as u64;
        assert!(again <= of("recomputes"), "repeated receives are transfers");
        recomputes += of("recomputes");
        // Microseconds, rounded to a nanosecond.
        let end = highest(&event["end"]) as f64 + drawn["send"].as_f64().expect("a time");
        assert!((end - seconds(stage, "seconds") * 1e6).abs() < 1.01, "{end}");
        // What lies on the device adds up to what it holds, at every event.
        let stays = drawn["stays"].as_array().expect("stays");
        let (bytes, workspace) = (numbers(&drawn["bytes"]), numbers(&drawn["workspace"]));
        for (index, held) in numbers(&event["held"]).into_iter().enumerate().step_by(7) {
            let here: f64 = stays
                .iter()
                .map(numbers)
                .filter(|stay| stay[2] <= index as f64 && (index as f64) < stay[3])
                .map(
                    |stay| if stay[1] == 1.0 { workspace[stay[0] as usize] } else { bytes[stay[0] as usize] },
                )
                .sum();
            assert_eq!(here + drawn["resident"].as_f64().expect("bytes"), held, "event {index}");
        }
        for shown in ["seconds", "compute_seconds", "recompute_seconds"] {
            let cell = format!("<td class=\"n\">{:.3}</td>", seconds(stage, shown) * 1e3);
            assert!(page.contains(&cell), "{shown}: {cell}");
        }
    }
    assert!(recomputes > 0, "the plan says nothing worth a report");
    let trace: Value =
        serde_json::from_str(&std::fs::read_to_string(here.join("trace.json")).expect("written"))
            .expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let of = |category: &'static str| events.iter().filter(move |event| event["cat"] == category);
    let paid: f64 = of("recompute").map(|event| seconds(event, "dur")).sum();
    let written: f64 = stages.iter().map(|stage| seconds(stage, "recompute_seconds")).sum();
    assert!(paid <= written * 1e6 + 1e-6 && paid > 0.0, "{paid} {written}");
    let ops = plan["ops"].as_array().expect("ops").len();
    assert_eq!(of("computation").count(), ops);
}

#[test]
fn the_page_needs_no_network_and_has_no_markup_from_names() {
    let (_keep, here, plan) = on_two_devices();
    // Whatever names something, and a note.
    fn mark(value: &mut Value) {
        match value {
            Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| match value {
                Value::String(text)
                    if ["function", "name", "kind", "location", "method", "fingerprint"]
                        .contains(&key.as_str()) =>
                {
                    text.push_str("<b>\"&</script>");
                }
                other => mark(other),
            }),
            Value::Array(elements) => elements.iter_mut().for_each(mark),
            _ => {}
        }
    }
    let mut named = plan.clone();
    mark(&mut named);
    named["notes"].as_array_mut().expect("notes").push("<b>\"&</script>".into());
    std::fs::write(here.join("named.json"), named.to_string()).expect("written");
    text(&here, &["report", "named.json", "--html", "page.html"]);
    let page = std::fs::read_to_string(here.join("page.html")).expect("written");
    for bad in [
        "<script src",
        "<link rel=\"stylesheet\"",
        "@import",
        "fetch(",
        "XMLHttpRequest",
        "<b>\\\"&</script>",
        "<b>\"&",
    ] {
        assert!(!page.contains(bad), "{bad}");
    }
    assert!(page.contains("&lt;b&gt;&quot;&amp;&lt;/script&gt;"));
    assert_eq!(page.matches("</script>").count(), 3);
}

#[test]
fn the_page_draws_in_a_browser() {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    let (_keep, here, plan) = on_two_devices();
    text(&here, &["report", "plan.json", "--html", "page.html", "--curve-work-limit", "500"]);
    let Some(browser) = found else {
        assert!(here.join("page.html").exists());
        return;
    };
    let dumped = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", here.join("browser").display()))
        .arg(format!("file://{}", here.join("page.html").display()))
        .output()
        .expect("runs");
    let page = String::from_utf8_lossy(&dumped.stdout);
    // Memory and overhead of every device, and the timeline.
    let devices = plan["stages"].as_array().expect("stages").len();
    assert!(page.contains(&format!("data-drawn=\"{}\"", 2 * devices + 1)), "not drawn");
    assert_eq!(page.matches("<canvas").count(), 2 * devices + 1);
    assert!(page.contains("resident from start to end"));
}

#[test]
fn tables_fit_a_terminal_and_json_says_the_same() {
    let (_keep, here, plan) = planned(&[
        "--ballast-plan=devices=4 schedule=1f1b micro-batches=8 work-limit=500 plan-file=plan.json",
    ]);
    let report = text(&here, &["report", "plan.json", "--ops"]);
    for line in report.lines().filter(|line| !line.starts_with("note:")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for caption in ["Time of every device, ms", "Memory of every device", "Stages of the pipeline"] {
        assert!(report.contains(caption), "{report}");
    }
    let json: Value = serde_json::from_str(&text(&here, &["report", "plan.json", "--json"])).expect("JSON");
    assert_eq!((&json["balance"], &json["pipeline"]), (&plan["balance"], &plan["pipeline"]));
    assert_eq!(json["planned_ops"].as_u64(), Some(plan["ops"].as_array().expect("ops").len() as u64));
    // The step is played again from the plan, and ends when the plan says.
    text(&here, &["report", "plan.json", "--html", "page.html"]);
    let page = std::fs::read_to_string(here.join("page.html")).expect("written");
    let data = data(&page);
    let ends =
        data["step"].as_array().expect("devices").iter().flat_map(|tasks| tasks.as_array().expect("tasks"));
    let end = ends.map(|task| task[3].as_f64().expect("an end")).fold(0.0, f64::max);
    assert!((end - seconds(&plan["pipeline"], "step_seconds") * 1e6).abs() < 0.01);
}

#[test]
fn a_plan_that_contradicts_itself_is_not_shown() {
    let (_keep, here, plan) = on_two_devices();
    let altered = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut plan = plan.clone();
        change(&mut plan);
        std::fs::write(here.join(name), plan.to_string()).expect("written");
    };
    altered("peak.json", &|plan| plan["stages"][0]["peak_bytes"] = 1.into());
    altered("time.json", &|plan| plan["stages"][1]["memory"]["nodes"][0]["seconds"] = 1.0.into());
    altered("node.json", &|plan| plan["stages"][1]["memory"]["nodes"][0]["op"] = 999_999.into());
    altered("old.json", &|plan| drop(plan["stages"][0].as_object_mut().expect("a stage").remove("memory")));
    altered("tmax.json", &|plan| plan["balance"]["tmax_seconds"] = 1e-9.into());
    altered("bound.json", &|plan| plan["bound_seconds"] = 1e9.into());
    altered("gap.json", &|plan| plan["gap"] = 0.5.into());
    altered("met.json", &|plan| plan["cap_met"] = (!plan["cap_met"].as_bool().expect("said")).into());
    altered("proof.json", &|plan| plan["stages"][0]["report"]["bound"] = 1e9.into());
    altered("link.json", &|plan| plan["stages"][1]["memory"]["swap"]["out_bandwidth"] = (-1.0).into());
    altered("latency.json", &|plan| plan["stages"][0]["memory"]["swap"]["latency"] = (-1.0).into());
    altered("device.json", &|plan| plan["stages"][1]["device"] = 0.into());
    for (name, part) in [
        ("tmax.json", "tmax_seconds"),
        ("link.json", "stages[1].memory.swap.out_bandwidth is -1"),
        ("latency.json", "stages[0].memory.swap.latency is -1"),
        ("bound.json", "bound_seconds"),
        ("gap.json", "gap"),
        ("met.json", "cap_met"),
        ("proof.json", "bound of device 0"),
        ("device.json", "in their order"),
        ("peak.json", "peak_bytes"),
        ("time.json", "seconds"),
        ("node.json", "999999"),
        ("old.json", "plan again"),
    ] {
        fails(&here, &["report", name, "--html", "page.html"], 2, part);
        assert!(!here.join("page.html").exists());
        if name != "old.json" {
            fails(&here, &["report", name], 2, part);
            fails(&here, &["explain", name], 2, part);
        }
    }
    text(&here, &["report", "old.json"]);
}

#[test]
fn explain_says_of_every_value_why_and_what_would_change_it() {
    let (_keep, here, plan) = on_two_devices();
    let ask = |args: &[&str]| -> Value {
        let all = [&["explain", "plan.json", "--json"], args].concat();
        serde_json::from_str(&text(&here, &all)).expect("JSON")
    };
    let ops = plan["ops"].as_array().expect("ops");
    let recomputed = ops.iter().filter(|op| op["recompute_before"].is_array()).collect::<Vec<_>>();
    assert!(!recomputed.is_empty());
    for op in &recomputed {
        let answers = ask(&["--tensor", &format!("#{}", op["op"])]);
        let values = answers["values"].as_array().expect("values");
        let own = values.iter().find(|value| value["device"] == op["device"]).expect("an answer");
        assert_eq!(own["fate"], "recomputed");
        assert_eq!(
            own["times"].as_u64(),
            Some(op["recompute_before"].as_array().expect("places").len() as u64)
        );
        assert!(own["why"].as_str().expect("a text").contains("kept as well it would hold"), "{own}");
    }
    let peaks = ask(&[]);
    for (peak, stage) in
        peaks["peaks"].as_array().expect("peaks").iter().zip(plan["stages"].as_array().expect("stages"))
    {
        assert_eq!(peak["peak_bytes"], stage["peak_bytes"]);
    }
    let location = recomputed[0]["location"].as_str().expect("a place");
    let line: Vec<&str> = location.rsplitn(2, ':').collect();
    let answers = ask(&["--line", line[1].rsplit('/').next().expect("a file")]);
    assert_eq!(answers["values"][0]["op"], recomputed[0]["op"]);
    assert!(text(&here, &["explain", "plan.json"]).contains("what would change it"));
    fails(&here, &["explain", "plan.json", "--tensor", "no_such_op"], 2, "no planned op");
    fails(
        &here,
        &["explain", "plan.json", "--tensor", "100000"],
        2,
        "op 100000 of the program is --tensor '#100000'",
    );
    fails(&here, &["explain", "plan.json", "--line", "nowhere.py:1"], 2, "no planned op");
}

#[test]
fn a_curve_has_the_plans_own_point_and_no_figure_that_another_one_rules_out() {
    let (_keep, here, plan) = on_two_devices();
    let work = ["report", "plan.json", "--curve-work-limit", "2000"];
    let ask = |more: &[&str]| text(&here, &[&work[..], more].concat());
    ask(&["--html", "page.html"]);
    ask(&["--html", "again.html"]);
    let page = std::fs::read_to_string(here.join("page.html")).expect("written");
    assert!(page == std::fs::read_to_string(here.join("again.html")).expect("written"), "other bytes");
    let json: Value = serde_json::from_str(&ask(&["--json"])).expect("JSON");
    let curves = &data(&page)["curves"];
    assert_eq!(curves, &json["curves"]);
    let stages = plan["stages"].as_array().expect("stages");
    assert_eq!(curves.as_array().map(Vec::len), Some(stages.len()));
    for (curve, stage) in curves.as_array().expect("curves").iter().zip(stages) {
        let own = &curve["plan"];
        assert_eq!(own["cap_bytes"], stage["cap_bytes"]);
        let paid = seconds(stage, "recompute_seconds") + seconds(stage, "exposed_swap_seconds");
        let overhead = 100.0 * paid / seconds(curve, "once_seconds");
        assert!((seconds(own, "overhead_percent") - overhead).abs() < 1e-9, "{own} {overhead}");
        let points = curve["points"].as_array().expect("points");
        assert_eq!(points.last().expect("points")["cap_bytes"], stage["unplanned_peak_bytes"]);
        assert_eq!(points.last().expect("points")["overhead_percent"].as_f64(), Some(0.0));
        let figure = |point: &Value, key: &str| point[key].as_f64();
        for pair in points.windows(2) {
            assert!(seconds(&pair[0], "cap_bytes") < seconds(&pair[1], "cap_bytes"));
            let more =
                |key: &str| figure(&pair[0], key).is_none_or(|left| Some(left) >= figure(&pair[1], key));
            let alike = pair[0]["bound_class"] == pair[1]["bound_class"];
            assert!(more("overhead_percent") && (!alike || more("bound_percent")), "{pair:?}");
        }
        for point in points {
            let (Some(found), Some(bound)) =
                (figure(point, "overhead_percent"), figure(point, "bound_percent"))
            else {
                continue;
            };
            assert!(bound <= found + 1e-9, "{point}");
            assert!(point["proved"] == Value::Bool(false) || found - bound < 1e-3, "{point}");
            // The plan at hand keeps this cap too.
            let serves = point["cap_bytes"].as_u64() >= own["cap_bytes"].as_u64();
            assert!(!serves || found <= seconds(own, "overhead_percent") + 1e-9, "{point}");
        }
    }
    assert!(ask(&[]).contains("(this plan)"));
    let plain: Value = serde_json::from_str(&text(&here, &["report", "plan.json", "--json"])).expect("JSON");
    assert!(plain.get("curves").is_none());
}

#[test]
fn a_curve_in_seconds_ends_in_time_and_says_what_it_found() {
    let (_keep, here, _) = planned(&[
        "--ballast-plan=devices=2 schedule=1f1b micro-batches=4 work-limit=500 plan-file=plan.json",
    ]);
    let json: Value =
        serde_json::from_str(&text(&here, &["report", "plan.json", "--json", "--curve=1"])).expect("JSON");
    for curve in json["curves"].as_array().expect("curves") {
        assert!(
            curve["points"]
                .as_array()
                .expect("points")
                .iter()
                .any(|point| point["overhead_percent"].is_number())
        );
    }
    fails(&here, &["report", "plan.json", "--curve=0"], 2, "above zero");
    // A number behind a space is no value of an option that may go without one.
    fails(&here, &["report", "plan.json", "--curve", "5"], 2, "written with a '=', such as --curve=5");
}

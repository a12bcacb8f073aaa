//! Workload files that must be refused, and what the refusal must name.

use std::path::Path;

use ballast_dag::problem::Problem;
use ballast_dag::workload::{WorkloadFile, parse, read};
use serde_json::{Value, json};

/// Two chained nodes and one beside them, two accelerators, no CPU core.
fn sound() -> Value {
    json!({
        "maxFPGAs": 2, "maxCPUs": 0, "maxSizePerFPGA": 100,
        "nodes": [
            {"id": 1, "fpgaLatency": 1.0, "cpuLatency": 9.0, "size": 10, "supportedOnFpga": 1, "isBackwardNode": 0},
            {"id": 2, "fpgaLatency": 2.0, "cpuLatency": 9.0, "supportedOnFpga": true, "isBackwardNode": false},
            {"id": 3, "fpgaLatency": 0, "cpuLatency": 0, "supportedOnFpga": true, "colorClass": 7},
        ],
        "edges": [
            {"sourceId": 1, "destId": 2, "cost": 0.5},
            {"sourceId": 1, "destId": 3, "cost": 0.5},
        ],
    })
}

fn refusal(workload: &Value) -> String {
    let failure = parse(&workload.to_string(), "w.json").expect_err("must be refused").to_string();
    assert!(failure.starts_with("w.json: "), "{failure}");
    failure
}

/// What is done to a sound workload.
type Change = fn(&mut Value);

/// Each change must be refused with this part of a message.
fn refused(cases: &[(&str, Change)]) {
    for (expected, change) in cases {
        let mut workload = sound();
        change(&mut workload);
        let failure = refusal(&workload);
        assert!(failure.contains(expected), "wanted '{expected}', got: {failure}");
    }
}

#[test]
fn a_sound_workload_is_read() {
    let problem = parse(&sound().to_string(), "w.json").unwrap();
    assert_eq!(problem.device_count(), 2);
    assert_eq!(problem.nodes[0].readers, [1, 2]);
    assert_eq!(problem.nodes[0].output_cost, 0.5);
    assert_eq!(problem.nodes[2].colour, Some(0));
    assert_eq!(problem.nodes[1].size_bytes, 0.0);
}

#[test]
fn unlike_accelerators_are_read() {
    let mut workload = sound();
    workload.as_object_mut().unwrap().remove("maxFPGAs");
    workload["accelerators"] = json!([
        {"count": 1, "speed": 2.0, "maxSize": 50},
        {"count": 1, "maxSize": 20, "transferFactor": 3.0},
    ]);
    let problem = parse(&workload.to_string(), "w.json").unwrap();
    assert_eq!(problem.nodes[1].time[..2], [1.0, 2.0]);
    assert_eq!(problem.kinds[1].transfer_factor, 3.0);
    assert_eq!(problem.device_count(), 2);
    workload["maxFPGAs"] = json!(5);
    assert!(refusal(&workload).contains("maxFPGAs is 5"));
}

#[test]
fn what_accelerators_take_is_left_out_where_there_are_none() {
    let mut workload = sound();
    (workload["maxFPGAs"], workload["maxCPUs"]) = (json!(0), json!(2));
    workload.as_object_mut().unwrap().remove("maxSizePerFPGA");
    for node in workload["nodes"].as_array_mut().unwrap() {
        node.as_object_mut().unwrap().remove("fpgaLatency");
    }
    let problem = parse(&workload.to_string(), "w.json").unwrap();
    assert_eq!(problem.device_count(), 2);
    assert_eq!(problem.nodes[0].time, [f64::INFINITY, 9.0]);
    // However none are written.
    let mut listed = workload.clone();
    listed.as_object_mut().unwrap().remove("maxFPGAs");
    for none in [json!([]), json!([{"count": 0}])] {
        listed["accelerators"] = none;
        assert_eq!(parse(&listed.to_string(), "w.json").unwrap().device_count(), 2);
    }
    // Of one, all is needed.
    workload["maxFPGAs"] = json!(1);
    assert!(refusal(&workload).contains("maxSizePerFPGA"));
    workload["maxSizePerFPGA"] = json!(100);
    assert!(refusal(&workload).contains("node 1 has no 'fpgaLatency'"));
}

#[test]
fn contradictions_are_refused_by_name() {
    let cases: [(&str, Change); 31] = [
        ("cycle: 2 -> 1 -> 2", |w| w["edges"][1] = json!({"sourceId": 2, "destId": 1, "cost": 0})),
        ("cycle: 1 -> 1", |w| w["edges"][1] = json!({"sourceId": 1, "destId": 1, "cost": 0.5})),
        ("node 1 takes 10 bytes", |w| w["maxSizePerFPGA"] = json!(9)),
        ("node 2 has both", |w| w["nodes"][1]["latencies"] = json!([1.0])),
        ("there are 1 kinds", |w| {
            w["nodes"][1].as_object_mut().unwrap().remove("fpgaLatency");
            w["nodes"][1]["latencies"] = json!([1.0, 2.0]);
        }),
        ("node 2 cannot run on an accelerator", |w| {
            w["nodes"][1].as_object_mut().unwrap().remove("fpgaLatency");
            w["nodes"][1]["latencies"] = json!([null]);
        }),
        // Of the kind that could run it there are none.
        ("node 2 cannot run on an accelerator", |w| {
            w.as_object_mut().unwrap().remove("maxFPGAs");
            w["accelerators"] = json!([{"count": 0}, {"count": 2}]);
            w["nodes"][1].as_object_mut().unwrap().remove("fpgaLatency");
            w["nodes"][1]["latencies"] = json!([1.0, null]);
        }),
        ("node 2 has fpgaLatency -1", |w| w["nodes"][1]["fpgaLatency"] = json!(-1.0)),
        ("node 2 has no 'fpgaLatency'", |w| {
            w["nodes"][1].as_object_mut().unwrap().remove("fpgaLatency");
        }),
        ("node 2 has cpuLatency -3", |w| w["nodes"][1]["cpuLatency"] = json!(-3)),
        ("node 2 has no 'cpuLatency'", |w| {
            w["maxCPUs"] = json!(1);
            w["nodes"][1].as_object_mut().unwrap().remove("cpuLatency");
        }),
        ("node 1 has size -4", |w| w["nodes"][0]["size"] = json!(-4)),
        ("edge 1 -> 2 has cost -0.5", |w| w["edges"][0]["cost"] = json!(-0.5)),
        ("edge 1 -> 2 has no 'cost'", |w| {
            w["edges"][0].as_object_mut().unwrap().remove("cost");
        }),
        ("one tensor", |w| w["edges"][1]["cost"] = json!(0.25)),
        ("edge 1 -> 9 names node 9", |w| w["edges"][0]["destId"] = json!(9)),
        ("edge x -> 2 names node x", |w| w["edges"][0]["sourceId"] = json!("x")),
        ("node id 1 occurs twice", |w| w["nodes"][1]["id"] = json!(1)),
        ("node 2 cannot run on an accelerator", |w| w["nodes"][1]["supportedOnFpga"] = json!(0)),
        ("colour class 7 can run on no device: its node 3", |w| {
            w["nodes"][0]["colorClass"] = json!(7);
            w["nodes"][2]["supportedOnFpga"] = json!(false);
        }),
        ("colour class 7 takes 110 bytes", |w| {
            w["nodes"][2]["size"] = json!(100);
            w["nodes"][0]["colorClass"] = json!(7);
        }),
        ("3 nodes", |w| w["maxFPGAs"] = json!(4)),
        ("no device", |w| w["maxFPGAs"] = json!(0)),
        ("maxFPGAs is 1.5", |w| w["maxFPGAs"] = json!(1.5)),
        ("maxCPUs is -1", |w| w["maxCPUs"] = json!(-1)),
        ("'maxFPGAs' is missing", |w| {
            w.as_object_mut().unwrap().remove("maxFPGAs");
        }),
        ("'maxSizePerFPGA'", |w| {
            w.as_object_mut().unwrap().remove("maxSizePerFPGA");
        }),
        ("supportedOnFpga of node 2 is 3", |w| w["nodes"][1]["supportedOnFpga"] = json!(3)),
        ("isBackwardNode of node 1 is 0.5", |w| w["nodes"][0]["isBackwardNode"] = json!(0.5)),
        ("'nodes' is empty", |w| w["nodes"] = json!([])),
        ("missing field `edges`", |w| {
            w.as_object_mut().unwrap().remove("edges");
        }),
    ];
    refused(&cases);
}

#[test]
fn values_of_another_kind_are_refused_by_the_name_of_their_field() {
    let cases: [(&str, Change); 7] = [
        ("supportedOnFpga of node 2 is \"true\": write true, false, 1 or 0", |w| {
            w["nodes"][1]["supportedOnFpga"] = json!("true");
        }),
        ("id of nodes[1] is 0.5: write a text or a whole number", |w| w["nodes"][1]["id"] = json!(0.5)),
        ("id of nodes[1] is 9223372036854775808: write", |w| w["nodes"][1]["id"] = json!(1u64 << 63)),
        ("id of nodes[0] is null: write", |w| w["nodes"][0]["id"] = Value::Null),
        ("colorClass of node 3 is [7]: write", |w| w["nodes"][2]["colorClass"] = json!([7])),
        ("sourceId of edges[1] is true: write", |w| w["edges"][1]["sourceId"] = json!(true)),
        ("destId of edges[0] is {\"id\":2}: write", |w| w["edges"][0]["destId"] = json!({"id": 2})),
    ];
    refused(&cases);
}

#[test]
fn times_and_costs_beyond_all_sums_are_refused() {
    let cases: [(&str, Change); 4] = [
        ("add up to inf, the most is 1e300: give them in a larger unit", |w| {
            for node in 0..3 {
                w["nodes"][node]["fpgaLatency"] = json!(1e308);
            }
        }),
        ("add up to 1.5e300", |w| {
            for edge in 0..2 {
                w["edges"][edge]["cost"] = json!(0.5e300);
            }
        }),
        ("add up to 2e300", |w| w["nodes"][1]["fpgaLatency"] = json!(2e300)),
        ("node 1 has fpgaLatency 10000000", |w| {
            w.as_object_mut().unwrap().remove("maxFPGAs");
            w["accelerators"] = json!([{"count": 2, "speed": 1e-9}]);
            w["nodes"][0]["fpgaLatency"] = json!(1e300);
        }),
    ];
    refused(&cases);
}

#[test]
fn text_that_is_no_workload_is_refused_with_its_place() {
    for text in ["", "[]", "{", "null", "{\"nodes\": 3}"] {
        let failure = parse(text, "w.json").unwrap_err().to_string();
        assert!(failure.contains("not a workload") && failure.contains("line"), "{failure}");
    }
}

#[test]
fn a_problem_that_is_written_and_read_again_is_the_same() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/inputs/dnn-partitioning");
    let mut unlike = sound();
    unlike.as_object_mut().unwrap().remove("maxFPGAs");
    unlike["accelerators"] =
        json!([{"count": 1, "speed": 3.0}, {"count": 1, "maxSize": 20, "transferFactor": 3.0}]);
    unlike["nodes"][1]["supportedOnFpga"] = json!(0);
    unlike["maxCPUs"] = json!(1);
    let problems = [
        read(&shared.join("LayerGraphs/resnet50_training.json")).unwrap(),
        read(&shared.join("OperatorGraphs/bert_l-3_inference.json")).unwrap(),
        parse(&unlike.to_string(), "w.json").unwrap(),
    ];
    // A file has no names for its kinds of devices.
    let named = |mut problem: Problem| {
        problem.kinds.iter_mut().for_each(|kind| kind.name.clear());
        problem
    };
    for problem in problems {
        let text = serde_json::to_string(&WorkloadFile::of(&problem)).unwrap();
        let again = parse(&text, "again.json").unwrap();
        assert_eq!(named(again), named(problem));
    }
}

#[test]
fn an_edge_of_another_form_is_answered_with_the_form() {
    let form = "an edge is an object such as {\"sourceId\": 0, \"destId\": 1, \"cost\": 0.5}";
    let with = |edge: Value| {
        let mut workload = sound();
        workload["edges"][1] = edge;
        refusal(&workload)
    };
    assert_eq!(with(json!([1, 3])), format!("w.json: edges[1] is [1,3]: {form}"));
    assert_eq!(
        with(json!({"from": 1, "to": 3})),
        format!("w.json: edges[1] is {{\"from\":1,\"to\":3}}: {form}")
    );
    // What else is no workload is said as it was.
    let mut workload = sound();
    workload["nodes"][0]["size"] = json!("10");
    assert!(refusal(&workload).starts_with("w.json: not a workload: invalid type: string"));
}

//! Devices described in the module.

use ballast_core::device::{Cluster, DeviceId, Link};
use ballast_core::graph::Arithmetic;
use ballast_core::units::Bytes;
use melior::ir::Module;

use super::{context, dlti};

fn read(text: &str) -> Result<Option<Cluster>, String> {
    let context = context();
    let message = std::rc::Rc::new(std::cell::RefCell::new(String::new()));
    let heard = std::rc::Rc::clone(&message);
    context.attach_diagnostic_handler(move |diagnostic| {
        *heard.borrow_mut() = diagnostic.to_string();
        true
    });
    let module = Module::parse(&context, text).unwrap_or_else(|| panic!("{}\n{text}", message.borrow()));
    dlti::read(module.as_operation()).map_err(|_| message.borrow().clone())
}

const PAIR: &str = r#"module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "gpu0" = #dlti.target_device_spec<"memory_bytes" = 1024 : i64, "memory_bandwidth" = 9.0e11,
        "peak_flops" = {f32 = 1.0e13, i8 = 4.0e13}, "kind" = "big", "launch_overhead" = 1.0e-6,
        "to_host" = [1.0e10, 1.0e-5], "from_host" = [2.0e10], "links" = {npu = [1.0e9, 0.5]}>,
    "npu" = #dlti.target_device_spec<"memory_bytes" = 512 : i64, "memory_bandwidth" = 1.0e9, "peak_flops" = 3.0e9,
        "to_host" = [1.0e9], "from_host" = [1.0e9], "cores" = 2 : i64, "core_memory_bytes" = 256 : i64,
        "L1_cache_size_in_bytes" = 4096 : i32>,
    "host" = #dlti.target_device_spec<"memory_bytes" = 4096 : i64, "link" = [5.0e9, 1.0e-6]>>} {}"#;

#[test]
fn a_system_spec_is_read_whole() {
    let cluster = read(PAIR).unwrap().unwrap();
    let (gpu, npu) = (&cluster.devices[0], &cluster.devices[1]);
    assert_eq!((gpu.name.as_str(), gpu.kind.as_str(), gpu.memory), ("gpu0", "big", Bytes(1024)));
    assert_eq!((gpu.peak(Arithmetic::I8), gpu.peak(Arithmetic::F16)), (4e13, 1e13));
    assert_eq!(gpu.from_host, Link { bytes_per_second: 2e10, latency_seconds: 0.0 });
    assert_eq!((npu.kind.as_str(), npu.peak(Arithmetic::F32)), ("npu", 3e9));
    assert_eq!(npu.cores.as_ref().map(|cores| (cores.count, cores.memory_per_core)), Some((2, Bytes(256))));
    assert_eq!(cluster.link(DeviceId(0), DeviceId(1)), Link { bytes_per_second: 1e9, latency_seconds: 0.5 });
    assert_eq!(cluster.link(DeviceId(1), DeviceId(0)), Link { bytes_per_second: 5e9, latency_seconds: 1e-6 });
    assert_eq!(cluster.host_memory, Some(Bytes(4096)));
}

#[test]
fn a_module_without_devices_says_none() {
    assert_eq!(read("module {}"), Ok(None));
}

#[test]
fn impossible_systems_are_refused() {
    let cases = [
        ("\"memory_bytes\" = 1024 : i64, ", "", "device 'gpu0': no memory_bytes"),
        ("\"memory_bytes\" = 1024 : i64", "\"memory_bytes\" = 0 : i64", "no memory"),
        ("\"memory_bytes\" = 1024 : i64", "\"memory_bytes\" = -1 : i64", "not negative"),
        ("\"memory_bandwidth\" = 9.0e11,", "", "no memory_bandwidth"),
        ("\"memory_bandwidth\" = 9.0e11", "\"memory_bandwidth\" = 0.0", "above zero"),
        ("\"memory_bandwidth\" = 9.0e11", "\"memory_bandwidth\" = \"fast\"", "write a number"),
        ("f32 = 1.0e13", "f33 = 1.0e13", "'f33'"),
        ("\"from_host\" = [2.0e10]", "\"from_host\" = []", "[bytes per second, seconds]"),
        ("npu = [1.0e9, 0.5]", "tpu = [1.0e9, 0.5]", "'tpu'"),
        (", \"link\" = [5.0e9, 1.0e-6]", "", "no link between the devices"),
        ("\"core_memory_bytes\" = 256 : i64,", "", "no core_memory_bytes"),
        ("\"cores\" = 2 : i64", "\"cores\" = 0 : i64", "no cores"),
        ("\"cores\" = 2 : i64", "\"stage\" = 0 : i64, \"cores\" = 2 : i64", "no stages"),
        (
            "\"cores\" = 2 : i64",
            "\"stage\" = 0 : i64, \"stages\" = 2 : i64, \"cores\" = 2 : i64",
            "not its place",
        ),
    ];
    for (old, new, part) in cases {
        let text = PAIR.replacen(old, new, 1);
        assert_ne!(text, PAIR, "{old:?} is not there");
        let message = read(&text).expect_err(&format!("{new:?} for {old:?} was accepted"));
        assert!(message.starts_with("'dlti.target_system_spec':") && message.contains(part), "{message}");
    }
}

#[test]
fn the_example_of_the_manual_is_read() {
    let page = include_str!("../../../../docs/devices.md");
    let example = page.split("```mlir\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let cluster = read(example).unwrap().unwrap();
    assert_eq!((cluster.devices.len(), cluster.devices[1].peak(Arithmetic::F32)), (2, 1.57e13));
}

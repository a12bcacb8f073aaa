//! Tests of device files and the `devices=` option.

use std::path::Path;

use super::*;
use crate::graph::Arithmetic;
use crate::units::Bytes;

const PAIR: &str = r#"
version = 1
host-memory = "64GiB"

[kinds.big]
memory = "16GiB"
peak = { f32 = "10TFLOP/s", f16 = "20TFLOP/s" }
memory-bandwidth = "500GB/s"
launch-overhead = "2us"
host-link = { bandwidth = "16GB/s", latency = "10us" }
to-host = { bandwidth = "12GB/s" }

[kinds.small]
like = "rtx2080ti"
memory = "8GiB"

[kinds.chip]
peak = { i8 = "1TOP/s" }
memory-bandwidth = "1GB/s"
host-link = { bandwidth = "1GB/s" }
cores = { count = 2, memory-per-core = "1MiB", speed-up = [1.0, 1.8] }

[[devices]]
kind = "big"
count = 2
name = "gpu"

[[devices]]
kind = "small"

[[devices]]
kind = "chip"
name = "npu"

[link]
bandwidth = "10GB/s"
latency = "1us"

[[links]]
from = "gpu0"
to = "gpu1"
bandwidth = "100GB/s"

[[links]]
from = "gpu0"
to = "npu"
bandwidth = "1GB/s"
latency = 0.5
one-way = true
"#;

#[test]
fn a_file_with_unequal_devices_is_read_whole() {
    let cluster = parse("pair.toml", PAIR).unwrap();
    let names: Vec<&str> = cluster.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names, ["gpu0", "gpu1", "small-0", "npu"]);
    assert_eq!(cluster.host_memory, Some(Bytes(64 << 30)));
    let big = &cluster.devices[0];
    assert_eq!(
        (big.memory, big.memory_bandwidth, big.launch_overhead_seconds),
        (Bytes(16 << 30), 5e11, 2.0 * 1e-6)
    );
    assert_eq!((big.to_host.bytes_per_second, big.to_host.latency_seconds), (1.2e10, 0.0));
    assert_eq!((big.from_host.bytes_per_second, big.from_host.latency_seconds), (1.6e10, 10.0 * 1e-6));
    assert_eq!((big.peak(Arithmetic::F16), big.peak(Arithmetic::F64)), (2e13, 1e13));
    let small = &cluster.devices[2];
    assert_eq!(
        (small.kind.as_str(), small.memory, small.peak(Arithmetic::F32)),
        ("small", Bytes(8 << 30), 1.34e13)
    );
    let chip = &cluster.devices[3];
    assert_eq!(chip.memory, Bytes(2 << 20));
    assert_eq!(chip.peak(Arithmetic::F32), 1e12, "the largest rate stands in where f32 is missing");
    assert_eq!(chip.cores.as_ref().unwrap().speed_up, [1.0, 1.8]);
    assert_eq!(cluster.link(DeviceId(1), DeviceId(0)).bytes_per_second, 1e11);
    assert_eq!(cluster.link(DeviceId(0), DeviceId(3)), Link { bytes_per_second: 1e9, latency_seconds: 0.5 });
    assert_eq!(
        cluster.link(DeviceId(3), DeviceId(0)),
        Link { bytes_per_second: 1e10, latency_seconds: 1e-6 }
    );
    assert_eq!(cluster.check(), Ok(()));
}

#[test]
fn every_mistake_is_placed_and_names_a_remedy() {
    // (what to replace, by what, line of the complaint, part of the message)
    let cases = [
        ("version = 1", "version = 2", 2, "reads version 1"),
        ("memory = \"16GiB\"\n", "\n", 5, "memory = \"16GiB\""),
        ("memory = \"16GiB\"", "memory = \"0GiB\"", 6, "1 byte or more"),
        ("memory = \"16GiB\"", "memory = -4", 6, "1 byte or more"),
        ("memory-bandwidth = \"500GB/s\"\n", "\n", 5, "memory-bandwidth = "),
        ("\"500GB/s\"", "nan", 8, "above zero"),
        ("\"500GB/s\"", "\"500GB\"", 8, "above zero"),
        ("f32 = \"10TFLOP/s\", f16", "f31 = \"10TFLOP/s\", f16", 7, "f31"),
        ("f32 = \"10TFLOP/s\"", "f32 = 0", 7, "above zero"),
        ("peak = { i8 = \"1TOP/s\" }\n", "\n", 17, "peak = {"),
        ("host-link = { bandwidth = \"1GB/s\" }\n", "\n", 17, "host-link = {"),
        ("latency = 0.5", "latency = -0.5", 48, "zero or more"),
        ("like = \"rtx2080ti\"", "like = \"rtx\"", 14, "rtx2080ti"),
        ("kind = \"chip\"", "kind = \"chop\"", 32, "[kinds.chop]"),
        ("count = 2\n", "count = 0\n", 25, "write 1 to"),
        ("count = 2\n", "count = 1000000\n", 25, "write 1 to"),
        ("count = 2,", "count = 0,", 21, "write 1 to"),
        ("speed-up = [1.0, 1.8]", "speed-up = [1.0]", 21, "one per number of cores"),
        ("speed-up = [1.0, 1.8]", "speed-up = [1.0, -1.8]", 21, "above zero"),
        ("name = \"npu\"", "name = \"gpu1\"", 33, "rename one"),
        ("to = \"npu\"", "to = \"gpu7\"", 46, "gpu0, gpu1, small-0, npu"),
        ("to = \"npu\"", "to = \"gpu0\"", 44, "itself"),
        ("to = \"npu\"", "to = \"gpu1\"", 44, "given twice"),
        ("host-memory", "host-memmory", 3, "unknown field"),
        ("[link]\nbandwidth = \"10GB/s\"\nlatency = \"1us\"\n", "\n", 1, "add [link]"),
        ("[kinds.big]", "[kinds.big", 5, ""),
    ];
    for (old, new, line, part) in cases {
        let broken = PAIR.replacen(old, new, 1);
        assert_ne!(broken, PAIR, "{old:?} is not in the file");
        let error = parse("pair.toml", &broken).expect_err(&format!("{new:?} for {old:?} was accepted"));
        assert_eq!(error.place.map(|place| place.0), Some(line), "{new:?} for {old:?}: {error}");
        assert!(error.to_string().starts_with(&format!("pair.toml:{line}:")), "{error}");
        assert!(error.message.contains(part), "{error} does not say {part:?}");
    }
    let host = parse("pair.toml", &PAIR.replace("\"npu\"", "\"host\"")).unwrap_err();
    assert!(host.message.contains("rename it"), "{host}");
    let error = parse("none.toml", "version = 1").unwrap_err();
    assert!(error.message.contains("[[devices]]"), "{error}");
    assert!(load(Path::new("/nowhere/devices.toml")).unwrap_err().message.contains("cannot be read"));
}

#[test]
fn the_devices_option_takes_counts_kinds_and_files() {
    let four = Cluster::parse("4").unwrap();
    assert_eq!(four, Cluster::from_count(4).unwrap());
    assert_eq!((four.devices.len(), four.devices[3].kind.as_str()), (4, DEFAULT_KIND));
    assert_eq!(four.check(), Ok(()));
    let two = Cluster::parse("2xv100-16gb").unwrap();
    assert_eq!((two.devices.len(), two.devices[1].name.as_str()), (2, "v100-16gb-1"));
    assert_eq!(Cluster::parse("rtx2080ti").unwrap().devices[0].memory, Bytes(11 << 30));
    for bad in
        ["0", "", "0xv100-16gb", "99999999999999999999", "5000", "-1", "2xnothing", "no-such-file.toml"]
    {
        let error = Cluster::parse(bad).expect_err(bad);
        assert!(error.to_string().starts_with("devices="), "{error}");
    }
}

#[test]
fn a_cluster_built_by_hand_is_checked() {
    let good = Cluster::from_count(2).unwrap();
    let broken = |change: &dyn Fn(&mut Cluster)| {
        let mut cluster = good.clone();
        change(&mut cluster);
        cluster.check()
    };
    assert_eq!(broken(&|_| ()), Ok(()));
    assert!(broken(&|c| c.devices.clear()).is_err());
    assert!(broken(&|c| c.devices[1].memory = Bytes::ZERO).is_err());
    assert!(broken(&|c| c.devices[1].memory = Bytes(1 << 63)).is_err());
    assert!(broken(&|c| c.devices[1].name = "host".to_owned()).is_err());
    assert!(broken(&|c| c.devices[1].memory_bandwidth = f64::NAN).is_err());
    assert!(broken(&|c| c.devices[0].peak_flops.clear()).is_err());
    assert!(broken(&|c| c.devices[0].to_host.bytes_per_second = 0.0).is_err());
    assert!(broken(&|c| c.devices[0].from_host.latency_seconds = -1.0).is_err());
    assert!(broken(&|c| c.default_link.bytes_per_second = f64::INFINITY).is_err());
    assert!(broken(&|c| c.devices[1].name = c.devices[0].name.clone()).is_err());
    assert!(broken(&|c| c.links.push((DeviceId(0), DeviceId(2), c.default_link))).is_err());
}

#[test]
fn stages_of_a_device_are_planned_as_devices_and_made_one_again() {
    let pair = parse("pair.toml", PAIR).unwrap();
    let divided = pair.divided(2).unwrap();
    divided.check().unwrap();
    let names: Vec<&str> = divided.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names[..2], ["gpu0/stage0", "gpu1/stage0"]);
    assert_eq!(names[4..6], ["gpu0/stage1", "gpu1/stage1"]);
    assert_eq!((divided.whole_devices(), divided.devices[6].memory), (4, pair.devices[2].memory));
    // Between devices their own link, whatever the stage; within a device its memory.
    let link = |cluster: &Cluster, from, to| cluster.link(DeviceId(from), DeviceId(to));
    assert_eq!(link(&divided, 4, 1), link(&pair, 0, 1));
    assert_eq!(link(&divided, 3, 4), pair.default_link, "the slow link goes one way");
    assert_eq!(link(&divided, 4, 7), link(&pair, 0, 3));
    assert_eq!(link(&divided, 1, 5), Link { bytes_per_second: 5e11, latency_seconds: 0.0 });
    assert_eq!(divided.divided(3).unwrap(), pair.divided(3).unwrap());
    let again = divided.divided(1).unwrap();
    assert_eq!(again.devices, pair.devices);
    for (from, to) in [(0, 1), (1, 0), (0, 3), (3, 0), (2, 1)] {
        assert_eq!(link(&again, from, to), link(&pair, from, to));
    }
    assert!(Cluster::from_count(MAX_DEVICES).unwrap().divided(2).is_err());
    let mut wrong = divided;
    wrong.devices.swap(0, 4);
    assert!(wrong.check().unwrap_err().contains("not its place"));
}

#[test]
fn the_example_and_the_table_of_the_manual_are_true() {
    let page = include_str!("../../../../docs/devices.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let cluster = parse("devices.md", example).unwrap();
    let names: Vec<&str> = cluster.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names, ["big0", "big1", "small-0", "npu"]);
    for kind in ready_made_kinds() {
        let cluster = Cluster::parse(kind).unwrap();
        let device = &cluster.devices[0];
        let rows = page.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<&str>>());
        let name = format!("`{kind}`");
        let cells = rows.into_iter().find(|cells| cells.len() == 9 && cells[1] == name).unwrap();
        let number = |cell: &str| cell.split(' ').next().unwrap().parse::<f64>().unwrap();
        let memory: Bytes = cells[2].replace(' ', "").parse().unwrap();
        assert_eq!(memory, device.memory, "{kind}");
        assert!((number(cells[3]) * 1e12 / device.peak(Arithmetic::F32) - 1.0).abs() < 1e-9, "{kind}");
        assert!((number(cells[5]) * 1e9 / device.memory_bandwidth - 1.0).abs() < 1e-9, "{kind}");
        assert!((number(cells[6]) * 1e9 / device.to_host.bytes_per_second - 1.0).abs() < 1e-9, "{kind}");
        assert!((number(cells[6]) * 1e9 / device.from_host.bytes_per_second - 1.0).abs() < 1e-9, "{kind}");
        assert!(
            (number(cells[7]) * 1e9 / cluster.default_link.bytes_per_second - 1.0).abs() < 1e-9,
            "{kind}"
        );
    }
}

#[test]
fn peak_rates_are_those_the_data_sheets_print() {
    // TFLOP/s or TOP/s without sparsity: f64, bf16, f8, i8; a device without a unit for a type takes its f32 rate.
    let sheets = [
        ("h200", [34.0, 989.5, 1979.0, 1979.0]),
        ("b200", [40.0, 2250.0, 4500.0, 4500.0]),
        ("mi300x", [81.7, 1307.4, 2614.9, 2614.9]),
        ("rtx-4090", [1.29, 165.2, 330.3, 660.6]),
        ("rtx-5090", [1.64, 209.5, 419.0, 838.0]),
        ("l40s", [1.43, 362.05, 733.0, 733.0]),
        ("tpu-v5e", [197.0, 197.0, 197.0, 393.0]),
        ("tpu-v5p", [459.0, 459.0, 459.0, 918.0]),
        ("tpu-v6e", [918.0, 918.0, 918.0, 1836.0]),
    ];
    for (kind, printed) in sheets {
        let device = Cluster::parse(kind).unwrap().devices.remove(0);
        let rates = [Arithmetic::F64, Arithmetic::Bf16, Arithmetic::F8, Arithmetic::I8];
        for (arithmetic, printed) in rates.into_iter().zip(printed) {
            let rate = device.peak(arithmetic);
            assert!((rate / (printed * 1e12) - 1.0).abs() < 1e-9, "{kind} {arithmetic:?}: {rate}");
        }
        let rate = device.peak(Arithmetic::F16);
        assert_eq!(rate, device.peak(Arithmetic::Bf16), "{kind}");
    }
}

#[test]
fn links_of_common_nodes_have_names() {
    let text = PAIR.replacen("bandwidth = \"100GB/s\"", "bandwidth = \"nvlink-5\"", 1);
    let cluster = parse("pair.toml", &text).unwrap();
    assert_eq!(cluster.link(DeviceId(0), DeviceId(1)).bytes_per_second, 9e11);
    let page = include_str!("../../../../docs/devices.md");
    for (name, bandwidth) in quantity::LINKS {
        assert!(page.contains(&format!("`\"{name}\"` {}", bandwidth / 1e9)), "{name}");
    }
    for (kind, link) in
        [("h200", "nvlink-4"), ("b200", "nvlink-5"), ("rtx-5090", "pcie-5"), ("rtx-4090", "pcie-4")]
    {
        let text = PAIR.replacen("bandwidth = \"100GB/s\"", &format!("bandwidth = \"{link}\""), 1);
        let named = parse("pair.toml", &text).unwrap().link(DeviceId(0), DeviceId(1)).bytes_per_second;
        assert_eq!(Cluster::parse(kind).unwrap().default_link.bytes_per_second, named, "{kind}");
    }
}

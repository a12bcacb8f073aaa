//! Profile files: measured seconds of ops, by device kind, that override the cost formulas op by op.

use std::path::Path;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device::{Cluster, Link};
use crate::file::{FileError, parse_json, text_of};
use crate::graph::{Graph, OpRole};

/// Version of the profile format this program reads and writes.
pub const PROFILE_VERSION: u32 = 1;

/// Measured time of one op.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Measurement {
    /// Mean seconds of one execution, launch included.
    pub seconds: f64,
    /// Standard deviation over the runs, seconds.
    pub spread_seconds: f64,
    /// Number of runs behind the mean, warm-up left out; at least 1.
    pub runs: u32,
}

/// Measured copy speed between a device and the host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MeasuredLink {
    /// Bytes per second.
    pub bytes_per_second: f64,
    /// Seconds added to every copy.
    pub latency_seconds: f64,
}

/// Everything measured on one kind of device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KindProfile {
    /// Op key (name, operand and result types) to time.
    #[schemars(with = "std::collections::BTreeMap<String, Measurement>")]
    pub ops: IndexMap<String, Measurement>,
    /// Device to host; absent: the device description's figure stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_host: Option<MeasuredLink>,
    /// Host to device; absent: the device description's figure stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_host: Option<MeasuredLink>,
}

/// A profile file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Profile {
    /// Format version, 1.
    pub version: u32,
    /// Was it measured over several programs or clusters? Then keys and kinds that the program at hand lacks are
    /// skipped; otherwise they are errors.
    #[serde(default)]
    pub shared: bool,
    /// Device kind to its measurements.
    #[schemars(with = "std::collections::BTreeMap<String, KindProfile>")]
    pub kinds: IndexMap<String, KindProfile>,
}

impl Default for Profile {
    fn default() -> Self {
        Profile { version: PROFILE_VERSION, shared: false, kinds: IndexMap::new() }
    }
}

impl Profile {
    /// Reads a profile file.
    ///
    /// # Errors
    /// A file that cannot be read, and everything [`Profile::parse`] refuses.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        Self::parse(&path.display().to_string(), &text_of(path, "profile")?)
    }

    /// Reads the text of a profile; `origin` names it in messages.
    ///
    /// # Errors
    /// Damaged JSON, unknown fields or version, times that are negative or not finite, entries without runs.
    pub fn parse(origin: &str, text: &str) -> Result<Self, FileError> {
        let profile: Profile = parse_json(origin, text, "profile")?;
        let refuse = |message| Err(FileError::at(origin, message));
        if profile.version != PROFILE_VERSION {
            return refuse(format!(
                "version {} is not known: this program reads version {PROFILE_VERSION}; measure again",
                profile.version
            ));
        }
        let time = |value: f64| value.is_finite() && value >= 0.0;
        for (kind, measured) in &profile.kinds {
            for (key, op) in &measured.ops {
                if !time(op.seconds) || !time(op.spread_seconds) || op.runs == 0 {
                    return refuse(format!(
                        "kinds.{kind}, op '{key}': seconds and spread-seconds must be zero or more, runs at least 1"
                    ));
                }
            }
            for (name, link) in [("to-host", measured.to_host), ("from-host", measured.from_host)] {
                if let Some(link) = link
                    && !(time(link.latency_seconds)
                        && time(link.bytes_per_second)
                        && link.bytes_per_second > 0.0)
                {
                    return refuse(format!(
                        "kinds.{kind}.{name}: bytes-per-second must be above zero, latency-seconds zero or more"
                    ));
                }
            }
        }
        Ok(profile)
    }

    /// Hash of what it says, 16 hexadecimal digits.
    #[must_use]
    pub fn content(&self) -> String {
        let text = serde_json::to_string(self).expect("a profile is JSON");
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }

    /// Refuses kinds the cluster lacks and op keys the program lacks, unless the profile is `shared`.
    ///
    /// # Errors
    /// The first such kind or key; for a key, with one of the same op in the program.
    pub fn check(&self, origin: &str, graph: &Graph, cluster: &Cluster) -> Result<(), FileError> {
        if self.shared {
            return Ok(());
        }
        let refuse = |message| Err(FileError::at(origin, message));
        let remedy = "remove it, or say \"shared\": true if the file serves several programs";
        let keys: indexmap::IndexSet<&str> =
            graph.ops.iter().filter(|op| op.role == OpRole::Compute).map(|op| op.key.as_str()).collect();
        for (kind, measured) in &self.kinds {
            if !cluster.devices.iter().any(|device| device.kind == *kind) {
                return refuse(format!("no device is of kind '{kind}': {remedy}"));
            }
            let Some(unknown) = measured.ops.keys().find(|key| !keys.contains(key.as_str())) else {
                continue;
            };
            let name = unknown.split([' ', '(']).next().unwrap_or(unknown);
            let near = keys.iter().find(|key| key.split([' ', '(']).next() == Some(name));
            let hint = near.map_or(String::new(), |key| format!(" (it has '{key}')"));
            return refuse(format!("the program has no op '{unknown}'{hint}: {remedy}"));
        }
        Ok(())
    }

    /// Measured seconds of an op on a kind of device.
    #[must_use]
    pub fn seconds(&self, kind: &str, key: &str) -> Option<f64> {
        self.kinds.get(kind)?.ops.get(key).map(|measured| measured.seconds)
    }

    /// Puts measured host links in the place of those of the cluster.
    pub fn apply_links(&self, cluster: &mut Cluster) {
        let link = |measured: MeasuredLink| Link {
            bytes_per_second: measured.bytes_per_second,
            latency_seconds: measured.latency_seconds,
        };
        for device in &mut cluster.devices {
            if let Some(measured) = self.kinds.get(&device.kind) {
                device.to_host = measured.to_host.map_or(device.to_host, link);
                device.from_host = measured.from_host.map_or(device.from_host, link);
            }
        }
    }

    /// The JSON schema of profile files, pretty-printed.
    #[must_use]
    pub fn schema() -> String {
        format!("{:#}\n", schemars::schema_for!(Profile).as_value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::tests::small_graph;

    const GOOD: &str = r#"{"version": 1, "kinds": {"a100-80gb": {
        "ops": {"test.dot (tensor<8xf32>) -> tensor<8xf32>": {"seconds": 0.5, "spread-seconds": 0.01, "runs": 3}},
        "to-host": {"bytes-per-second": 1e9, "latency-seconds": 1e-5}}}}"#;

    #[test]
    fn a_profile_comes_back_as_it_was_written() {
        let profile = Profile::parse("p.json", GOOD).unwrap();
        let again = Profile::parse("p.json", &serde_json::to_string(&profile).unwrap()).unwrap();
        assert_eq!(profile, again);
        assert_eq!(profile.seconds("a100-80gb", "test.dot (tensor<8xf32>) -> tensor<8xf32>"), Some(0.5));
        assert_eq!(profile.seconds("a100-80gb", "test.dot"), None);
        assert_eq!(profile.seconds("v100-16gb", "test.dot (tensor<8xf32>) -> tensor<8xf32>"), None);
    }

    #[test]
    fn measured_links_replace_described_ones() {
        let mut cluster = Cluster::from_count(1).unwrap();
        let before = cluster.devices[0].from_host;
        Profile::parse("p.json", GOOD).unwrap().apply_links(&mut cluster);
        assert_eq!(cluster.devices[0].to_host, Link { bytes_per_second: 1e9, latency_seconds: 1e-5 });
        assert_eq!(cluster.devices[0].from_host, before);
    }

    #[test]
    fn damaged_files_are_refused() {
        let cases = [
            (GOOD.replace("\"version\": 1", "\"version\": 9"), "version 9"),
            (GOOD.replace("0.5", "-0.5"), "zero or more"),
            (GOOD.replace("\"runs\": 3", "\"runs\": 0"), "runs at least 1"),
            (GOOD.replace("\"runs\": 3", "\"rums\": 3"), "rums"),
            (GOOD.replace("1e9", "0"), "above zero"),
            (GOOD.replace("0.5", "1e999"), "p.json:2:"),
            (GOOD[..GOOD.len() - 4].to_owned(), "p.json:3:"),
            (String::new(), "p.json:1:"),
        ];
        for (text, part) in cases {
            let error = Profile::parse("p.json", &text).expect_err(&text).to_string();
            assert!(error.contains(part), "{error} does not say {part:?}");
        }
        assert!(Profile::load(Path::new("/nowhere/p.json")).is_err());
    }

    #[test]
    fn unknown_ops_and_kinds_are_refused_unless_shared() {
        let (graph, cluster) = (small_graph(), Cluster::from_count(1).unwrap());
        let profile = Profile::parse("p.json", GOOD).unwrap();
        assert_eq!(profile.check("p.json", &graph, &cluster), Ok(()));
        let unknown = Profile::parse("p.json", &GOOD.replace("8xf32", "9xf32")).unwrap();
        let error = unknown.check("p.json", &graph, &cluster).unwrap_err().to_string();
        assert!(error.contains("9xf32") && error.contains("it has 'test.dot (tensor<8xf32>"), "{error}");
        let foreign = Profile::parse("p.json", &GOOD.replace("a100-80gb", "abacus")).unwrap();
        assert!(foreign.check("p.json", &graph, &cluster).unwrap_err().to_string().contains("abacus"));
        for mut profile in [unknown, foreign] {
            profile.shared = true;
            assert_eq!(profile.check("p.json", &graph, &cluster), Ok(()));
        }
    }

    #[test]
    fn the_example_of_the_manual_is_a_profile() {
        let page = include_str!("../../../docs/cost-model.md");
        let example = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let profile = Profile::parse("cost-model.md", example).unwrap();
        assert!(profile.shared && profile.kinds["a100-80gb"].to_host.is_some());
    }

    #[test]
    fn the_checked_in_schema_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/profile.schema.json");
        assert_eq!(
            std::fs::read_to_string(path).unwrap_or_default(),
            Profile::schema(),
            "write Profile::schema() to docs/profile.schema.json"
        );
    }
}

//! The topology: devices and switches joined by links, with a shortest route between any two devices.

use std::collections::VecDeque;

use ballast_core::device::{Cluster, DeviceId, Link};
use serde::Deserialize;

use crate::genetic::PlacementError;

/// Version of the topology file format this program reads.
const FILE_VERSION: u32 = 1;

/// Devices first, then switches; every link one way.
#[derive(Clone, Debug, PartialEq)]
pub struct Platform {
    devices: usize,
    names: Vec<String>,
    links: Vec<Wire>,
    /// Wires by `[from][to]`, devices only; empty from a device to itself.
    routes: Vec<Vec<Vec<usize>>>,
    /// Wires that begin or end at a device, by device.
    touching: Vec<Vec<usize>>,
    /// What the speeds of the links are, in the words of the file.
    source: String,
}

/// One link, one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wire {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) link: Link,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    version: u32,
    #[serde(default)]
    switches: Vec<String>,
    link: Option<Speed>,
    links: Vec<Between>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Speed {
    bytes_per_second: f64,
    #[serde(default)]
    latency_seconds: f64,
    /// What the figures are: a data sheet, a measurement, an assumption.
    #[serde(default)]
    source: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Between {
    between: [String; 2],
    bytes_per_second: Option<f64>,
    latency_seconds: Option<f64>,
}

fn refuse<T>(reason: String) -> Result<T, PlacementError> {
    Err(PlacementError::Input(reason))
}

/// Most devices and switches of a platform: every pair of devices has a route.
const MOST_NODES: usize = 1024;

fn check_size(nodes: usize) -> Result<(), PlacementError> {
    if nodes <= MOST_NODES {
        return Ok(());
    }
    refuse(format!("{nodes} devices and switches: at most {MOST_NODES} are simulated"))
}

impl Platform {
    /// Reads a topology file for the devices of that name.
    ///
    /// # Errors
    /// [`PlacementError::Input`] naming what is wrong: unknown or repeated names, speeds that are none,
    /// devices without a route between them.
    pub fn parse(text: &str, devices: &[String]) -> Result<Self, PlacementError> {
        let file: File = toml::from_str(text)
            .map_err(|error| PlacementError::Input(error.to_string().trim_end().into()))?;
        if file.version != FILE_VERSION {
            return refuse(format!(
                "version {} of a topology file: this program reads {FILE_VERSION}",
                file.version
            ));
        }
        let names: Vec<String> = devices.iter().chain(&file.switches).cloned().collect();
        check_size(names.len())?;
        for (i, name) in names.iter().enumerate() {
            if names[..i].contains(name) {
                return refuse(format!("'{name}' names two devices or switches"));
            }
        }
        let place = |name: &String| {
            names.iter().position(|n| n == name).ok_or_else(|| {
                PlacementError::Input(format!(
                    "a link ends at '{name}', which is no switch of this file and no device (devices: {})",
                    devices.join(", ")
                ))
            })
        };
        let mut links: Vec<Wire> = Vec::new();
        for entry in &file.links {
            let [a, b] = &entry.between;
            let (from, to) = (place(a)?, place(b)?);
            let bandwidth = entry.bytes_per_second.or(file.link.as_ref().map(|l| l.bytes_per_second)).ok_or_else(|| {
                PlacementError::Input(format!(
                    "the link between '{a}' and '{b}' has no bytes-per-second, and there is no [link] to take it from"
                ))
            })?;
            let latency =
                entry.latency_seconds.or(file.link.as_ref().map(|l| l.latency_seconds)).unwrap_or(0.0);
            let sound = bandwidth.is_finite() && bandwidth > 0.0 && latency.is_finite() && latency >= 0.0;
            if !sound {
                return refuse(format!(
                    "the link between '{a}' and '{b}' moves {bandwidth} bytes per second after {latency} s: give a \
                     positive rate and a latency that is not negative"
                ));
            }
            if from == to || links.iter().any(|w| (w.from, w.to) == (from, to)) {
                return refuse(format!(
                    "the link between '{a}' and '{b}' joins a node to itself or is listed twice"
                ));
            }
            let link = Link { bytes_per_second: bandwidth, latency_seconds: latency };
            links.push(Wire { from, to, link });
            links.push(Wire { from: to, to: from, link });
        }
        let source = file.link.map_or_else(String::new, |link| link.source);
        Ok(Platform { source, ..Platform::with_routes(devices.len(), names, links)? })
    }

    /// What the speeds of the links are, as the topology file says under `[link]`; empty where it does not.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Every device joined to every other by the cluster's own links.
    ///
    /// # Errors
    /// [`PlacementError::Input`] for a link without a speed.
    pub fn direct(cluster: &Cluster) -> Result<Self, PlacementError> {
        let names: Vec<String> = cluster.devices.iter().map(|device| device.name.clone()).collect();
        check_size(names.len())?;
        let mut links = Vec::new();
        for from in 0..names.len() {
            for to in (0..names.len()).filter(|&to| to != from) {
                let link = cluster.link(DeviceId(from), DeviceId(to));
                if link.bytes_per_second.is_nan() || link.bytes_per_second <= 0.0 {
                    return refuse(format!(
                        "the link from '{}' to '{}' has no speed",
                        names[from], names[to]
                    ));
                }
                links.push(Wire { from, to, link });
            }
        }
        Platform::with_routes(names.len(), names, links)
    }

    fn with_routes(devices: usize, names: Vec<String>, links: Vec<Wire>) -> Result<Self, PlacementError> {
        let mut leaving = vec![Vec::new(); names.len()];
        let mut touching = vec![Vec::new(); devices];
        for (id, wire) in links.iter().enumerate() {
            leaving[wire.from].push(id);
            for node in [wire.from, wire.to] {
                if let Some(touching) = touching.get_mut(node) {
                    touching.push(id);
                }
            }
        }
        let mut routes = Vec::with_capacity(devices);
        for from in 0..devices {
            // Fewest hops, ties by the order of the file; devices do not forward.
            let mut by: Vec<Option<usize>> = vec![None; names.len()];
            let mut queue = VecDeque::from([from]);
            while let Some(node) = queue.pop_front() {
                if node != from && node < devices {
                    continue;
                }
                for &id in &leaving[node] {
                    let to = links[id].to;
                    if to != from && by[to].is_none() {
                        by[to] = Some(id);
                        queue.push_back(to);
                    }
                }
            }
            let mut row = Vec::with_capacity(devices);
            for to in 0..devices {
                let mut route = Vec::new();
                let mut node = to;
                while node != from {
                    let Some(id) = by[node] else {
                        return refuse(format!("no links lead from '{}' to '{}'", names[from], names[to]));
                    };
                    route.push(id);
                    node = links[id].from;
                }
                route.reverse();
                row.push(route);
            }
            routes.push(row);
        }
        Ok(Platform { devices, names, links, routes, touching, source: String::new() })
    }

    /// Number of devices.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.devices
    }

    /// Name of a device.
    #[must_use]
    pub fn name(&self, device: DeviceId) -> &str {
        &self.names[device]
    }

    /// Switches a message from one device to another passes, by name.
    #[must_use]
    pub fn switches_between(&self, from: DeviceId, to: DeviceId) -> Vec<&str> {
        let route = &self.routes[from][to];
        route.iter().skip(1).map(|&id| self.names[self.links[id].from].as_str()).collect()
    }

    pub(super) fn wires(&self) -> &[Wire] {
        &self.links
    }

    pub(super) fn route(&self, from: DeviceId, to: DeviceId) -> &[usize] {
        &self.routes[from][to]
    }

    /// May two devices change places, attached to the same nodes by equal links, and with routes that pass the same links
    /// but for their own? Routes break ties by the order of the file, in which equal links may stand otherwise.
    pub(super) fn interchangeable(&self, a: DeviceId, b: DeviceId) -> bool {
        self.equally_linked(a, b) && self.equally_routed(a, b)
    }

    /// Is every route to or from one of them the other's, once they have changed names?
    fn equally_routed(&self, a: DeviceId, b: DeviceId) -> bool {
        let swapped = |node: usize| match node {
            _ if node == a.0 => b.0,
            _ if node == b.0 => a.0,
            _ => node,
        };
        let passes = |from: usize, to: usize| {
            let route = &self.routes[from][to];
            route.iter().map(|&id| (self.links[id].from, self.links[id].to))
        };
        let same = |from: usize, to: usize| {
            let renamed = passes(from, to).map(|(one, other)| (swapped(one), swapped(other)));
            renamed.eq(passes(swapped(from), swapped(to)))
        };
        (0..self.devices).all(|other| same(a.0, other) && same(other, a.0))
    }

    fn equally_linked(&self, a: DeviceId, b: DeviceId) -> bool {
        let ends = |device: DeviceId, other: DeviceId| {
            let mut ends: Vec<(usize, bool, u64, u64)> = self.touching[device]
                .iter()
                .map(|&id| {
                    let w = &self.links[id];
                    let out = w.from == device.0;
                    let far = if out { w.to } else { w.from };
                    // The two may also be joined to each other.
                    let far = if far == other.0 { usize::MAX } else { far };
                    (far, out, w.link.bytes_per_second.to_bits(), w.link.latency_seconds.to_bits())
                })
                .collect();
            ends.sort_unstable();
            ends
        };
        ends(a, b) == ends(b, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("chip{i}")).collect()
    }

    const TWO_BOARDS: &str = include_str!("../../../examples/two-boards.toml");

    #[test]
    fn two_boards_route_over_three_switches() {
        let platform = Platform::parse(TWO_BOARDS, &names(8)).expect("the shipped example");
        assert_eq!(platform.switches_between(DeviceId(0), DeviceId(3)), ["board0"]);
        assert_eq!(platform.switches_between(DeviceId(1), DeviceId(6)), ["board0", "joint", "board1"]);
        assert!(platform.route(DeviceId(2), DeviceId(2)).is_empty());
        assert!(
            platform.interchangeable(DeviceId(4), DeviceId(7))
                && !platform.interchangeable(DeviceId(3), DeviceId(4))
        );
    }

    #[test]
    fn broken_topologies_are_refused_by_name() {
        let refused = |text: &str| Platform::parse(text, &names(2)).expect_err(text).to_string();
        let one = "version = 1\nswitches = ['s']\n";
        for (text, part) in [
            ("version = 2\nlinks = []", "version 2"),
            (&format!("{one}links = [{{ between = ['chip0', 's'] }}]"), "no bytes-per-second"),
            (&format!("{one}links = [{{ between = ['chip0', 'x'], bytes-per-second = 1.0 }}]"), "'x'"),
            (&format!("{one}links = [{{ between = ['chip0', 's'], bytes-per-second = -1.0 }}]"), "-1"),
            (
                &format!("{one}links = [{{ between = ['chip0', 's'], bytes-per-second = 1.0 }}]"),
                "no links lead from",
            ),
            ("version = 1\nswitches = ['chip0']\nlinks = []", "'chip0' names two"),
            (
                "version = 1\nswitches = []\nlinks = [{ between = ['chip0', 'chip0'], bytes-per-second = 1.0 }]",
                "itself",
            ),
            ("version = 1\nwires = 3", "wires"),
        ] {
            assert!(refused(text).contains(part), "{text}: {}", refused(text));
        }
    }

    #[test]
    fn devices_whose_routes_part_at_a_tie_do_not_change_places() {
        // Two ways of two switches from either device to the third; the order of the file decides which is taken.
        let platform = |links: &[(&str, &str)]| {
            let mut text = "version = 1\nswitches = ['s', 't']\n[link]\nbytes-per-second = 1.0\n".to_owned();
            for (from, to) in links {
                text += &format!("[[links]]\nbetween = ['{from}', '{to}']\n");
            }
            Platform::parse(&text, &names(3)).expect("sound")
        };
        let rest = [("chip2", "s"), ("chip2", "t")];
        let alike = [("chip0", "s"), ("chip0", "t"), ("chip1", "s"), ("chip1", "t")];
        let crossed = [("chip0", "s"), ("chip0", "t"), ("chip1", "t"), ("chip1", "s")];
        let asked = |links: [(&str, &str); 4]| {
            platform(&[&links[..], &rest].concat()).interchangeable(DeviceId(0), DeviceId(1))
        };
        assert!(asked(alike));
        assert!(!asked(crossed), "one reaches the third over s, the other over t");
    }

    #[test]
    fn devices_do_not_forward() {
        let text = "version = 1\n[link]\nbytes-per-second = 1.0\n[[links]]\nbetween = ['chip0', 'chip1']\n[[links]]\nbetween = ['chip1', 'chip2']";
        let error = Platform::parse(text, &names(3)).expect_err("no route").to_string();
        assert!(error.contains("'chip0' to 'chip2'"), "{error}");
    }
}

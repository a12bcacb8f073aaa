//! What is said about a value in sentences: why it is where it is, and what would change that.

use std::fmt::Write as _;

use super::{Explained, Fate, Stretch, Verdict};
use crate::memory::{EventKind, Node, NodeId, Problem, SwapModel};
use crate::units::{Bytes, exact};

impl Explained {
    /// Why, in a sentence. `name` says what a node is called.
    #[must_use]
    pub fn reason(
        &self,
        verdict: &Verdict,
        problem: &Problem,
        cap_bytes: u64,
        name: &dyn Fn(NodeId) -> String,
    ) -> String {
        let node = &problem.nodes[verdict.node];
        let held = |stretch: &Stretch| size(stretch.held_bytes);
        if node.bytes == 0 {
            return "it takes no memory of its own".to_owned();
        }
        let Some(stretch) = &verdict.stretch else {
            return match verdict.fate {
                Fate::Kept => "nothing else runs between its uses: dropping it would free nothing".to_owned(),
                Fate::Recomputed | Fate::Swapped => {
                    "nothing else runs while it is away: the plan could do without".to_owned()
                }
            };
        };
        let between = self.between(stretch, name);
        match verdict.fate {
            Fate::Kept if node.pinned => format!("a rule keeps it on the device {between}"),
            Fate::Kept if stretch.before.is_none() => {
                format!(
                    "the program returns it, and it must be there at the end; {between} the device holds up to {}",
                    held(stretch)
                )
            }
            Fate::Kept if !node.recomputable && !node.swappable => {
                let why = match written_over_by(problem, verdict.node) {
                    Some(reader) => {
                        format!(
                            "{} writes over it, so that it runs once and its memory stays in use",
                            name(reader)
                        )
                    }
                    None => "it may neither run twice nor be swapped".to_owned(),
                };
                format!("{why}; {between} the device holds up to {}", held(stretch))
            }
            Fate::Kept => {
                let room = cap_bytes.saturating_sub(stretch.held_bytes);
                let at = name(stretch.at);
                let fits = match room {
                    room if room >= node.bytes => format!(", {} below the cap: there is room", size(room)),
                    room => {
                        format!(", {} below the cap: others were dropped to make room for it", size(room))
                    }
                };
                format!("{between} the device holds at most {} (at {at}){fits}", held(stretch))
            }
            Fate::Recomputed | Fate::Swapped => {
                let need = stretch.kept_bytes;
                let at = name(stretch.at);
                let of_each = match stretch.copies {
                    1 => String::new(),
                    copies => format!(" for each of {copies} micro-batches in flight"),
                };
                let how = if verdict.fate == Fate::Swapped { "copying it" } else { "making it again" };
                let mut text = format!(
                    "{between} the device holds up to {} (at {at}); with these {} kept as well{of_each} it would hold {}",
                    held(stretch),
                    size(node.bytes),
                    size(need)
                );
                match need.checked_sub(cap_bytes) {
                    Some(over) if over > 0 => {
                        let _ = write!(text, ", {} over the cap", size(over));
                    }
                    _ => text.push_str(
                        ", which the cap allows, but not together with all that stays in its place",
                    ),
                }
                let _ = write!(text, "; {how} takes {}", seconds(verdict.seconds));
                text
            }
        }
    }

    /// What would change it, in a sentence.
    #[must_use]
    pub fn change(
        &self,
        verdict: &Verdict,
        problem: &Problem,
        cap_bytes: u64,
        swap: Option<&SwapModel>,
        name: &dyn Fn(NodeId) -> String,
    ) -> String {
        let node = &problem.nodes[verdict.node];
        if node.bytes == 0 && verdict.fate == Fate::Kept {
            return "nothing does: there is nothing to free".to_owned();
        }
        let Some(stretch) = &verdict.stretch else {
            return "no cap does: it is in use all the time it is there".to_owned();
        };
        match verdict.fate {
            Fate::Recomputed | Fate::Swapped => {
                let need = stretch.kept_bytes;
                if need > cap_bytes {
                    format!("with a cap of {} or more it can stay, all else as it is", size_at_least(need))
                } else {
                    "a longer search may find that it can stay".to_owned()
                }
            }
            Fate::Kept if node.pinned => "removing the rule".to_owned(),
            Fate::Kept if stretch.before.is_none() && !node.recomputable => {
                "not returning it, or a program that computes it later".to_owned()
            }
            Fate::Kept => {
                let mut ways = Vec::new();
                if node.recomputable {
                    ways.push(format!("making it again takes {}", seconds(node.time)));
                }
                if let (true, Some(swap)) = (node.swappable, swap) {
                    let copies = swap.out_time(node.bytes) + swap.in_time(node.bytes);
                    ways.push(format!("copying it to the host and back {}", seconds(copies)));
                }
                if ways.is_empty() {
                    return unmoved(problem, verdict.node, name);
                }
                let mut text = format!(
                    "a cap below {} makes something held there go; {}",
                    exact(Bytes(stretch.held_bytes)),
                    ways.join(", ")
                );
                if let Some((other, price)) = self.dearest {
                    let own = node.time / node.bytes.max(1) as f64;
                    let _ = write!(
                        text,
                        " ({} per MiB; the dearest value that is away, {}, costs {} per MiB)",
                        seconds(own * MIB),
                        name(other),
                        seconds(price * MIB)
                    );
                }
                text
            }
        }
    }

    fn between(&self, stretch: &Stretch, name: &dyn Fn(NodeId) -> String) -> String {
        let after = name(self.events[stretch.after].node);
        match stretch.before {
            Some(before) if matches!(self.events[before].kind, EventKind::Again | EventKind::In) => {
                format!("from {after} until it is back")
            }
            Some(before) => format!("between {after} and {}", name(self.events[before].node)),
            None => format!("from {after} to the end"),
        }
    }
}

/// The node that writes over a value, as [`crate::stage::stages`] leaves such a pair: neither may go, and the reader takes no memory of its own.
fn written_over_by(problem: &Problem, value: NodeId) -> Option<NodeId> {
    let stays = |node: &Node| !node.recomputable && !node.swappable && !node.pinned;
    let node = &problem.nodes[value];
    if node.bytes == 0 || !stays(node) {
        return None;
    }
    let writes = |reader: &Node| reader.bytes == 0 && stays(reader) && reader.inputs.contains(&value);
    NodeId::of(&problem.nodes).find(|(_, reader)| writes(reader)).map(|(reader, _)| reader)
}

/// What would change it for a value that may not run again and that the plan cannot swap.
fn unmoved(problem: &Problem, value: NodeId, name: &dyn Fn(NodeId) -> String) -> String {
    if let Some(reader) = written_over_by(problem, value) {
        return format!("nothing does: its memory becomes that of {}", name(reader));
    }
    match problem.nodes[value].swappable {
        true => "a plan with swaps, which may copy it to the host".to_owned(),
        false => {
            "removing the rules of the program that forbid both; an op with effects runs once all the same"
                .to_owned()
        }
    }
}

const MIB: f64 = 1_048_576.0;

/// A size in MiB up to 10 GiB: caps and peaks are read by their small differences.
fn size(bytes: u64) -> String {
    match bytes as f64 / MIB {
        mib if (1.0..10_240.0).contains(&mib) => format!("{mib:.1} MiB"),
        _ => Bytes(bytes).to_string(),
    }
}

/// A size that is enough as a cap where it is typed as it is printed: rounded up, never down.
pub(super) fn size_at_least(bytes: u64) -> String {
    let (name, unit): (_, u64) = match bytes {
        0..0x2800 => return format!("{bytes} B"),
        0x2800..0x10_0000 => ("KiB", 1 << 10),
        0x10_0000..0x2_8000_0000 => ("MiB", 1 << 20),
        _ => ("GiB", 1 << 30),
    };
    let tenths = (u128::from(bytes) * 10).div_ceil(u128::from(unit));
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// A time in the unit that suits it.
#[must_use]
pub fn seconds(seconds: f64) -> String {
    match seconds.abs() {
        0.0 => "no time".to_owned(),
        value if value < 1e-3 => format!("{:.3} us", seconds * 1e6),
        value if value < 1.0 => format!("{:.3} ms", seconds * 1e3),
        _ => format!("{seconds:.3} s"),
    }
}

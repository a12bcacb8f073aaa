//! Which classes of bounds a placement belongs to: a bound that a plan of its class beats is false, one that a plan
//! outside its class beats says nothing about it.

use ballast_core::device::DeviceId;
use ballast_core::report::{Bound, BoundClass};

use crate::sequence::Sequence;

/// What a placement of the op sequence is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Membership {
    /// Every device runs neighbouring ops.
    cut: bool,
    /// The stages form a pipeline over the data.
    pipeline: bool,
    /// No layer is split.
    layers: bool,
    /// Every stage can keep its cap.
    caps: bool,
}

impl Membership {
    /// Of a device for every op of the sequence; `starts`: where the items of the search begin in it; `caps`: can every
    /// stage keep its cap?
    pub(crate) fn of(ops: &Sequence, device_of: &[DeviceId], starts: &[usize], caps: bool) -> Self {
        let devices = device_of.iter().max().map_or(0, |last| last.0 + 1);
        let mut used = vec![false; devices];
        device_of.iter().for_each(|&device| used[device] = true);
        let stages = used.iter().filter(|&&used| used).count();
        let runs = device_of.chunk_by(|a, b| a == b).count();
        let mut graph = petgraph::graphmap::DiGraphMap::<DeviceId, ()>::new();
        for value in &ops.values {
            for &reader in value.readers.iter().filter(|&&r| device_of[r] != device_of[value.producer]) {
                graph.add_edge(device_of[value.producer], device_of[reader], ());
            }
        }
        let ends = starts.iter().skip(1).copied().chain([device_of.len()]);
        let whole =
            |(&first, end): (&usize, usize)| device_of[first..end].iter().all(|&d| d == device_of[first]);
        Membership {
            cut: runs == stages,
            pipeline: petgraph::algo::toposort(&graph, None).is_ok(),
            layers: starts.iter().zip(ends).all(whole),
            caps,
        }
    }

    /// Is it a placement of the class?
    pub(crate) fn within(self, class: BoundClass) -> bool {
        use BoundClass as C;
        let shape = match class {
            C::ContiguousSequence | C::ContiguousSequenceWithinCaps => self.cut,
            C::ContiguousLayers | C::ContiguousLayersWithinCaps => self.cut && self.layers,
            C::ContiguousDag | C::ContiguousDagWithinCaps => self.pipeline,
            C::ContiguousDagLayers | C::ContiguousDagLayersWithinCaps => self.pipeline && self.layers,
            C::AnyAssignment => true,
            _ => false,
        };
        shape && (self.caps || !class.within_caps())
    }

    /// The bound to report beside a value of such a placement: `bound`, or `wider`, which holds for every placement, where
    /// a placement outside its class beats it.
    pub(crate) fn choose(self, bound: Bound, value: f64, wider: Bound) -> Bound {
        if self.within(bound.class()) { bound } else { bound.unless_beaten_by(value, wider) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::Value;

    #[test]
    fn a_placement_belongs_to_the_classes_whose_rules_it_keeps() {
        // 0 -> 1 -> 2 -> 3, and 0 -> 3; layers are {0, 1} and {2, 3}.
        let mut ops = Sequence::chain(&[1.0; 4], &[1; 4], &[1; 4]);
        ops.values.push(Value {
            producer: 0,
            readers: vec![3],
            bytes: 1,
            held_bytes: 1,
            returned: false,
            rules: Default::default(),
        });
        let classes = |device_of: [usize; 4], caps: bool| -> Vec<&'static str> {
            let membership = Membership::of(&ops, &device_of.map(DeviceId), &[0, 2], caps);
            BoundClass::ALL.iter().copied().filter(|&c| membership.within(c)).map(BoundClass::name).collect()
        };
        assert_eq!(classes([0, 1, 0, 1], true), ["any-assignment"]);
        assert_eq!(
            classes([1, 0, 0, 0], true),
            [
                "any-assignment",
                "contiguous-sequence",
                "contiguous-sequence-within-caps",
                "contiguous-dag",
                "contiguous-dag-within-caps"
            ]
        );
        assert_eq!(
            classes([1, 1, 0, 0], false),
            [
                "any-assignment",
                "contiguous-sequence",
                "contiguous-layers",
                "contiguous-dag",
                "contiguous-dag-layers"
            ]
        );
        // A bound beaten from outside its class gives way; from inside it stands, for the judge to refuse.
        let (bound, wider) =
            (Bound::proved(3.0, BoundClass::ContiguousLayers), Bound::proved(1.0, BoundClass::AnyAssignment));
        let of = |device_of: [usize; 4]| Membership::of(&ops, &device_of.map(DeviceId), &[0, 2], true);
        assert_eq!(of([1, 0, 0, 0]).choose(bound, 2.0, wider), wider);
        assert_eq!(of([1, 0, 0, 0]).choose(bound, 4.0, wider), bound);
        assert_eq!(of([1, 1, 0, 0]).choose(bound, 2.0, wider), bound);
    }
}

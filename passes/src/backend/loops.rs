//! What a loop costs that is planned as one op: the ops of its body, fused as the back end fuses them, as often as they run.

use ballast_core::graph::{Inner, OpId};

use crate::import::Imported;

/// Sets [`ballast_core::graph::Op::inner`] of every loop whose iterations can be counted, once `fuse` has done with its body what it does
/// with a program.
pub(super) fn price(imported: &mut Imported<'_, '_>, fuse: &dyn Fn(&mut Imported<'_, '_>)) {
    for body in &mut imported.bodies {
        fuse(&mut body.imported);
        let graph = &body.imported.graph;
        let ops = graph.planned().map(|id: OpId| &graph.ops[id]);
        let once = ops.flat_map(|op| match op.inner.as_slice() {
            [] => vec![Inner { work: op.work, times: 1 }],
            inner => inner.to_vec(),
        });
        let all = once.map(|inner| Inner { times: inner.times.saturating_mul(body.trips), ..inner });
        imported.graph.ops[body.of].inner = all.collect();
    }
}

//! Programs that say how their values are spread over a mesh of devices: `mhlo.sharding` (GSPMD) and `sdy.sharding` (Shardy).
//!
//! Their types are those of whole values. What one device of the mesh holds comes out only when the program is partitioned.

use std::collections::BTreeMap;

use ballast_dialects::ir;
use ballast_dialects::text::of_attribute;
use melior::ir::BlockLike;
use melior::ir::operation::OperationRef;

use super::Imported;

/// Attributes of ops that spread values.
const NAMES: [&str; 3] = ["mhlo.sharding", "sdy.sharding", "sharding"];

/// Where a program is spread over devices first, and on how many values it says so; none where it is not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread<'c, 'a> {
    /// The first op that says so, or the function for an argument.
    pub(crate) op: OperationRef<'c, 'a>,
    /// The argument, where it is one.
    pub(crate) argument: Option<usize>,
    /// Ops and arguments that say so.
    pub(crate) count: usize,
}

/// Looks for values that are spread over more than one device.
pub(crate) fn find<'c, 'a>(
    module: OperationRef<'c, 'a>,
    imported: &Imported<'c, 'a>,
) -> Option<Spread<'c, 'a>> {
    let meshes: String = ir::blocks(module)
        .into_iter()
        .flat_map(ir::ops)
        .filter(|&op| ir::name(op) == "sdy.mesh")
        .filter_map(|op| Some(of_attribute(ir::attribute(op, "mesh")?)))
        .collect();
    let axes = axes(&meshes);
    let mut spread: Option<Spread<'c, 'a>> = None;
    let mut note = |op, argument| match &mut spread {
        Some(spread) => spread.count += 1,
        None => spread = Some(Spread { op, argument, count: 1 }),
    };
    let function = imported.function;
    let arguments = ir::blocks(function).first().map_or(0, |block| block.argument_count());
    let of_arguments = ir::attribute(function, "arg_attrs").and_then(ir::elements).unwrap_or_default();
    for (index, &of) in of_arguments.iter().enumerate().take(arguments) {
        if spreads(&of_attribute(of), &axes) {
            note(function, Some(index));
        }
    }
    for &op in &imported.ops {
        let of_shardy = ir::name(op).starts_with("sdy.");
        let says = NAMES.into_iter().filter(|&name| name != "sharding" || of_shardy);
        if says.filter_map(|name| ir::attribute(op, name)).any(|of| spreads(&of_attribute(of), &axes)) {
            note(op, None);
        }
    }
    spread
}

/// Sizes of axes: every `"x"=4` of a text.
fn axes(text: &str) -> BTreeMap<&str, u64> {
    let pieces: Vec<&str> = text.split('"').collect();
    // Outside and inside of quotes take turns.
    let quoted = pieces.windows(2).skip(1).step_by(2);
    quoted
        .filter_map(|pair| {
            let size = pair[1].trim_start().strip_prefix('=')?.trim_start();
            let digits = size.find(|c: char| !c.is_ascii_digit()).unwrap_or(size.len());
            Some((pair[0], size[..digits].parse().ok()?))
        })
        .collect()
}

/// Does the text of an attribute spread a value over more than one device?
fn spreads(text: &str, meshes: &BTreeMap<&str, u64>) -> bool {
    spreads_in_gspmd(text) || spreads_in_shardy(text, meshes)
}

/// `{devices=[2,1,4]<=[8] last_tile_dim_replicate}` has tiles per dimension; the last ones hold copies where it says so.
fn spreads_in_gspmd(text: &str) -> bool {
    text.split("devices=[").skip(1).any(|rest| {
        let Some((list, after)) = rest.split_once(']') else { return false };
        let mut tiles: Vec<u64> = list.split(',').filter_map(|tiles| tiles.trim().parse().ok()).collect();
        let own = after.split('}').next().unwrap_or_default();
        if own.contains("last_tile_dim_replicate") || own.contains("last_tile_dims") {
            tiles.pop();
        }
        tiles.iter().any(|&tiles| tiles > 1)
    })
}

/// `#sdy.sharding<@mesh, [{"x"}, {}], replicated={"y"}>` names, per dimension, the axes it is cut along.
fn spreads_in_shardy(text: &str, meshes: &BTreeMap<&str, u64>) -> bool {
    let inline = axes(text);
    text.split("sdy.sharding").skip(1).any(|sharding| {
        // A mesh may stand in the attribute itself: its axes have sizes. Axes that hold copies cut nothing.
        let mut cut = sharding.to_owned();
        while let Some(from) = cut.find("replicated={") {
            let to = cut[from..].find('}').map_or(cut.len(), |end| from + end + 1);
            cut.replace_range(from..to, "");
        }
        let pieces: Vec<&str> = cut.split('"').collect();
        pieces.windows(2).skip(1).step_by(2).any(|pair| {
            let defines = pair[1].trim_start().starts_with('=');
            !defines && inline.get(pair[0]).or_else(|| meshes.get(pair[0])) != Some(&1)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shardings_of_one_device_are_none() {
        let meshes = axes("#sdy.mesh<[\"x\"=4, \"one\" = 1]>");
        assert_eq!(meshes, BTreeMap::from([("one", 1), ("x", 4)]));
        for (text, spread) in [
            ("\"{replicated}\"", false),
            ("\"{maximal device=0}\"", false),
            ("\"{devices=[1,1]0}\"", false),
            ("\"{devices=[1,8]<=[8] last_tile_dim_replicate}\"", false),
            ("\"{devices=[2,4]<=[8] last_tile_dim_replicate}\"", true),
            ("{mhlo.sharding = \"{devices=[8,1]<=[8]}\"}", true),
            ("#sdy.sharding<@mesh, [{}, {}]>", false),
            ("#sdy.sharding<@mesh, [{\"one\"}, {}]>", false),
            ("#sdy.sharding<@mesh, [{\"x\"}, {}]>", true),
            ("#sdy.sharding<@mesh, [{}], replicated={\"x\"}>", false),
            ("#sdy.sharding<mesh<[\"y\"=2]>, [{}]>", false),
            ("#sdy.sharding<mesh<[\"y\"=2]>, [{\"y\"}]>", true),
            ("#sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{\"x\", ?}]>]>", true),
            ("#sdy.sharding<@mesh, [{\"unknown\"}]>", true),
        ] {
            assert_eq!(spreads(text, &meshes), spread, "{text}");
        }
    }
}

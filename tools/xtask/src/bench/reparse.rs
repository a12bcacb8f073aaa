//! `cargo xtask bench reparse`: every program of a folder, planned, through every route that takes it; what comes out must be
//! parsed and verified by the stock `mlir-opt` with the plugin.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use xshell::cmd;

use super::{file_name, from_here};
use crate::say;
use crate::workspace::{LLVM_BIN, Workspace, step};

/// Arguments of `cargo xtask bench reparse`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of `.mlir` files; the project's own examples without it.
    folder: Option<PathBuf>,
    /// Cap of every stage, percent of its unplanned peak.
    #[arg(long, default_value = "80")]
    cap: u32,
    /// Seconds for each memory plan.
    #[arg(long, default_value = "3")]
    time_limit: f64,
}

/// One way from a plan to a back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Route {
    name: &'static str,
    devices: u32,
    flags: &'static [&'static str],
}

const PLANNED: Route = Route { name: "plan alone", devices: 2, flags: &[] };
const APPLY: Route = Route { name: "apply", devices: 1, flags: &["--ballast-apply"] };
const OUTLINE: Route =
    Route { name: "apply, outline", devices: 2, flags: &["--ballast-apply", "--ballast-outline"] };
const STABLEHLO: Route = Route { name: "to-stablehlo", devices: 1, flags: &["--ballast-to-stablehlo"] };
const NATIVE: Route = Route { name: "to-native", devices: 1, flags: &["--ballast-to-native=entry=true"] };
const RANK_0: Route =
    Route { name: "to-mpi, rank 0", devices: 2, flags: &["--ballast-to-mpi=rank=0 entry=true"] };
const RANK_1: Route =
    Route { name: "to-mpi, rank 1", devices: 2, flags: &["--ballast-to-mpi=rank=1 entry=true"] };

/// The routes for a program, by the dialects its text names.
fn routes(text: &str) -> Vec<Route> {
    let mut routes = vec![PLANNED, APPLY, OUTLINE];
    if text.contains("stablehlo.") {
        routes.push(STABLEHLO);
    } else if text.contains("linalg.") {
        routes.extend([NATIVE, RANK_0, RANK_1]);
    }
    routes
}

/// Prints one Markdown table.
///
/// # Errors
/// After the table, if any program failed on any route.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let folder = match &args.folder {
        Some(folder) => from_here(folder)?,
        None => workspace.root.join("tests/inputs/models"),
    };
    let mut programs = workspace.shell.read_dir(&folder)?;
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "mlir"));
    if programs.is_empty() {
        bail!("no .mlir file in {}", folder.display());
    }
    say!("| program | route | outcome |\n|---|---|---|");
    let mut failed = 0;
    for program in &programs {
        let name = file_name(program);
        for route in routes(&workspace.shell.read_file(program)?) {
            step(&format!("{name}, {}", route.name));
            let outcome = match check(workspace, args, program, route) {
                Ok(()) => "parsed",
                Err(reason) => {
                    failed += 1;
                    step(&format!("{reason:#}"));
                    "failed"
                }
            };
            say!("| {name} | {} | {outcome} |", route.name);
        }
    }
    if failed > 0 {
        bail!("{failed} rewritten programs are not what stock mlir-opt takes");
    }
    Ok(())
}

fn check(workspace: &Workspace, args: &Args, program: &Path, route: Route) -> Result<()> {
    let folder = workspace.release.join("bench");
    workspace.shell.create_dir(&folder)?;
    let output = folder.join("rewritten.mlir");
    let driver = workspace.program("ballast-opt");
    let (devices, cap, limit) = (route.devices, args.cap, args.time_limit);
    let quiet = |command: xshell::Cmd<'_>| command.quiet().run();
    let mut plan = cmd!(workspace.shell, "{driver} {program} --allow-unregistered-dialect -o {output}");
    if devices > 1 {
        plan = plan.arg(format!("--rl-partition=devices={devices} method=dp"));
    }
    let plan = plan.arg(format!("--remat=devices={devices} cap={cap}% time-limit={limit}"));
    quiet(plan.args(["--ballast-verify"]).args(route.flags))?;
    let library = workspace.program("libballast.so");
    let stock = Path::new(LLVM_BIN).join("mlir-opt");
    // The generic form and back: what is printed for people must not be all that can be read.
    let again = folder.join("again.mlir");
    for (from, to, form) in
        [(&output, &again, "--mlir-print-op-generic"), (&again, &output, "--mlir-print-local-scope")]
    {
        let parse = cmd!(workspace.shell, "{stock} {from} --allow-unregistered-dialect {form} -o {to}");
        let plugin = ["--load-dialect-plugin=", "--load-pass-plugin="];
        quiet(parse.args(plugin.map(|flag| format!("{flag}{}", library.display()))))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{APPLY, NATIVE, OUTLINE, PLANNED, RANK_0, RANK_1, STABLEHLO, routes};

    #[test]
    fn a_program_takes_the_routes_of_its_dialect() {
        assert_eq!(routes("%0 = \"stablehlo.add\"(%x, %x)"), [PLANNED, APPLY, OUTLINE, STABLEHLO]);
        assert_eq!(routes("linalg.matmul ins("), [PLANNED, APPLY, OUTLINE, NATIVE, RANK_0, RANK_1]);
        assert_eq!(routes("tosa.matmul %a"), [PLANNED, APPLY, OUTLINE]);
    }
}

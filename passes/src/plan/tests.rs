//! The names that `PassOptions.td` lists once more are those of the tables of solvers and methods.

use ballast_partition::{METHODS, Mover};
use ballast_remat::SOLVERS;

const PASSES: &str = include_str!("../../../dialects/td/PassOptions.td");

/// The names of a list of choices, sorted.
fn choices(list: &str) -> Vec<&'static str> {
    let start = PASSES.find(&format!("def {list} : Choices")).expect("the list is there");
    let text = &PASSES[start..];
    let text = &text[..text.find("]>;").expect("the list ends")];
    let mut names: Vec<&str> =
        text.split("Value<").skip(1).filter_map(|value| value.split('"').nth(3)).collect();
    names.sort_unstable();
    names
}

fn sorted(names: impl IntoIterator<Item = &'static str>) -> Vec<&'static str> {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names
}

#[test]
fn every_memory_solver_is_an_option_of_the_pass() {
    assert_eq!(choices("MemorySolver"), sorted(SOLVERS.iter().map(|solver| solver.name())));
}

#[test]
fn every_mover_is_an_option_of_the_pass() {
    let movers = [Mover::Annealing, Mover::Learned, Mover::None];
    assert_eq!(choices("Refinement"), sorted(movers.map(<&str>::from)));
}

#[test]
fn every_method_is_an_option_of_the_pass() {
    assert_eq!(choices("PartitionMethod"), sorted(METHODS.iter().map(|method| method.name)));
}

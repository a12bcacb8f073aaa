//! Writes the training steps of perceptrons that docs/q-learning-swaps.md measures into a folder:
//! `cargo run --release -p ballast-tests --example deep_perceptrons FOLDER`.

use std::io::{Error, Result};
use std::path::Path;

use ballast_tests::deep_mlp::DeepMlp;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| Error::other("name a folder to write to"))?;
    let programs = [
        ("deep-mlp.mlir", DeepMlp { layers: 12, width: 64, batch: 256 }),
        ("narrow-mlp.mlir", DeepMlp { layers: 24, width: 32, batch: 512 }),
    ];
    for (name, program) in programs {
        std::fs::write(Path::new(&folder).join(name), program.program())?;
    }
    Ok(())
}

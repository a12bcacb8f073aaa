//! `ballast lab genetic-rank`: one of the processes that a dynamic search measures placements on.
//!
//! The first rank reads a placement a line from standard input, the devices of the layers separated by spaces, and tells all
//! others; every rank runs its layers of every item of the batch, and the first answers with the seconds of the batch, from all having
//! met to the last having ended. The processes end with the input.

use std::io::BufRead as _;
use std::path::PathBuf;
use std::time::Instant;

use ballast_partition::genetic::LayerFile;

use super::kernels::{Layer, layers};
use super::mpi::World;
use crate::failure::Failure;
use crate::output::{print, read_text};
use crate::ranges::count;

/// Arguments of `ballast lab genetic-rank`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Layer file (TOML).
    layers: PathBuf,
    /// Open MPI's library.
    #[arg(long)]
    library: PathBuf,
    /// Items of a batch; 1 to 1000000.
    #[arg(long, value_parser = count::<u32, 1, 1_000_000>)]
    batch: u32,
}

/// Runs until the input ends.
///
/// # Errors
/// A layer file that cannot be run, or what MPI says.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let file = LayerFile::parse(&read_text(&args.layers)?)
        .map_err(|error| Failure::BadInput(format!("{}: {error}", args.layers.display())))?;
    let layers = layers(&file)?;
    let world = World::start(&args.library)?;
    let rank = Rank { world, layers, batch: args.batch };
    if rank.world.rank == 0 {
        rank.lead()?
    } else {
        rank.follow()?
    }
    rank.world.end()
}

struct Rank {
    world: World,
    layers: Vec<Layer>,
    batch: u32,
}

impl Rank {
    fn lead(&self) -> Result<(), Failure> {
        for line in std::io::stdin().lock().lines() {
            let line = line.map_err(|error| Failure::BadInput(format!("standard input: {error}")))?;
            let placement: Vec<usize> =
                line.split_whitespace().filter_map(|device| device.parse().ok()).collect();
            if placement.len() != self.layers.len()
                || placement.iter().any(|&device| device >= self.world.ranks)
            {
                return Err(Failure::BadInput(format!("'{line}' is no placement")));
            }
            self.tell(&placement)?;
            self.world.meet()?;
            let start = Instant::now();
            self.batch(&placement)?;
            self.world.meet()?;
            print(&format!("{}\n", start.elapsed().as_secs_f64()))?;
        }
        // No device has this number: all end.
        self.tell(&vec![self.world.ranks; self.layers.len()])
    }

    fn tell(&self, placement: &[usize]) -> Result<(), Failure> {
        let message: Vec<f32> = placement.iter().map(|&device| device as f32).collect();
        (1..self.world.ranks).try_for_each(|rank| self.world.send(&message, rank))
    }

    fn follow(&self) -> Result<(), Failure> {
        let mut message = vec![0.0; self.layers.len()];
        loop {
            self.world.receive(&mut message, 0)?;
            let placement: Vec<usize> = message.iter().map(|&device| device as usize).collect();
            if placement.contains(&self.world.ranks) {
                return Ok(());
            }
            self.world.meet()?;
            self.batch(&placement)?;
            self.world.meet()?;
        }
    }

    /// This rank's layers of every item, one item after the other. Messages follow the order of items and layers on every
    /// rank, so that none waits for ever even where a send waits for its receive.
    fn batch(&self, placement: &[usize]) -> Result<(), Failure> {
        let here = self.world.rank;
        for item in 0..self.batch {
            let mut value: Vec<f32> = Vec::new();
            for (index, layer) in
                self.layers.iter().enumerate().filter(|&(index, _)| placement[index] == here)
            {
                match index.checked_sub(1).map(|before| placement[before]) {
                    None => value = vec![1.0 / (item + 1) as f32; layer.inputs],
                    Some(before) if before != here => {
                        value.resize(layer.inputs, 0.0);
                        self.world.receive(&mut value, before)?;
                    }
                    Some(_) => {}
                }
                value = layer.run(&value);
                if let Some(&after) = placement.get(index + 1)
                    && after != here
                {
                    self.world.send(&value, after)?;
                }
            }
        }
        Ok(())
    }
}

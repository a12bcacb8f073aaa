//! Partitioners of others, by the door to programs of [`ballast_dag::outside`].

use ballast_core::device::DeviceId;
use ballast_core::outside::Executable;
use ballast_dag::outside;
use ballast_dag::problem::PlanClass;

use crate::error::Error;
use crate::proposer::{Proposal, Proposer, Task};
use crate::workload::workload;

/// A program asked where the items run. It sees the workload that `exact` searches: with unequal links every transfer is priced by the
/// fastest, and a device holds the arguments whose first readers it runs. What it proposes is judged by what the stages really take.
pub(crate) struct Outside {
    pub(crate) program: Option<Executable>,
}

impl Proposer for Outside {
    fn name(&self) -> &'static str {
        "exec"
    }

    fn propose(&mut self, task: &Task<'_>) -> Result<Proposal, Error> {
        let Some(program) = &self.program else {
            return Err(Error::Outside("no program was named to partition".into()));
        };
        let (problem, devices) = workload(&task.items.sequence, task.links, task.caps);
        let found = outside::plan(&problem, PlanClass::Free, program, &task.limits)
            .map_err(|reason| Error::Outside(reason.to_string()))?;
        let items = task.items.sequence.len();
        let of_items: Vec<DeviceId> =
            found.assignment[..items].iter().map(|&device| devices[device]).collect();
        Ok(Proposal::of_items(self.name(), task, &of_items))
    }
}

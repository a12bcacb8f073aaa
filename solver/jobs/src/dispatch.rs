//! A placer at the side of a running engine: events of jobs and devices in, placements out, and a journal from which it goes on.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::job::{DeviceState, Job, JobCluster, JobError};
use crate::placer::{Placer, Situation};

/// What happened on the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// A job came in.
    Submit(Job),
    /// A job is done and gives its devices back.
    Finish(String),
    /// A job gives its devices back undone, as one of them failed: it waits for others, before all that came in after it.
    Return(String),
    /// Devices went out of order; a job on them keeps them until it is finished or returned.
    Down(Vec<String>),
    /// Devices are in order again.
    Up(Vec<String>),
}

/// An event and its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// 1 for the first, one more for each.
    pub id: u64,
    /// What happened.
    pub event: Event,
}

/// A job, the devices it was given, and those it could not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// Name of the job.
    pub job: String,
    /// Names of its devices.
    pub devices: Vec<String>,
    /// Names of the devices that served other jobs or were out of order.
    pub occupied: Vec<String>,
}

/// What follows from an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Number of the event.
    pub id: u64,
    /// Jobs that start now.
    pub placed: Vec<Placement>,
    /// Jobs that wait for devices, in order of submission.
    pub waiting: Vec<String>,
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What came in.
    pub message: Message,
    /// What was answered.
    pub answer: Decided,
}

/// What was decided for an event. The jobs that wait follow from it; listed at every event they would make a journal quadratic in them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Number of the event.
    pub id: u64,
    /// Jobs that start now.
    pub placed: Vec<Placement>,
}

impl Entry {
    /// Of an event and its answer.
    #[must_use]
    pub fn new(message: Message, answer: &Answer) -> Self {
        Entry { message, answer: Decided { id: answer.id, placed: answer.placed.clone() } }
    }
}

/// The jobs and devices of an engine, as its events tell them.
#[derive(Debug)]
pub struct Dispatcher {
    cluster: JobCluster,
    /// All jobs that ever came in.
    jobs: Vec<Job>,
    /// Those that wait, as indices of `jobs`, in order of submission.
    waiting: VecDeque<usize>,
    down: Vec<bool>,
    /// The job each device serves, as an index of `jobs`.
    serving: Vec<Option<usize>>,
    last: Option<Entry>,
}

fn refuse<T>(reason: String) -> Result<T, JobError> {
    Err(JobError::Input(reason))
}

impl Dispatcher {
    /// An engine without jobs. Devices that are not usable count as out of order until they are said to be up.
    #[must_use]
    pub fn new(cluster: JobCluster) -> Self {
        let down = cluster.devices.iter().map(|device| device.state != DeviceState::Usable).collect();
        let serving = vec![None; cluster.devices.len()];
        Dispatcher { cluster, jobs: Vec::new(), waiting: VecDeque::new(), down, serving, last: None }
    }

    /// Number of the last event; 0 before the first.
    #[must_use]
    pub fn last_id(&self) -> u64 {
        self.last.as_ref().map_or(0, |entry| entry.message.id)
    }

    /// Takes an event in and places the jobs that can start, in order of submission; none overtakes. The event answered last may be sent
    /// again, and has the same answer: who sent it may not know whether it arrived.
    ///
    /// # Errors
    /// [`JobError::Input`] for events out of turn, of unknown jobs or devices, and jobs the cluster can never serve: nothing is
    /// changed. What the placer returns.
    pub fn take(&mut self, message: &Message, placer: &mut dyn Placer) -> Result<Answer, JobError> {
        let expected = self.last_id() + 1;
        if let Some(last) = self.last.as_ref().filter(|last| last.message.id == message.id) {
            if last.message == *message {
                return Ok(self.answer(&last.answer));
            }
            return refuse(format!("event {} was another one before", message.id));
        }
        if message.id != expected {
            return refuse(format!("event {}: the next one is {expected}", message.id));
        }
        self.check(&message.event)?;
        // A placer that fails half-way must leave nothing behind.
        let before = (self.waiting.clone(), self.down.clone(), self.serving.clone(), self.jobs.len());
        self.apply(&message.event);
        match self.place(placer) {
            Ok(placed) => {
                let decided = Decided { id: message.id, placed };
                let answer = self.answer(&decided);
                self.last = Some(Entry { message: message.clone(), answer: decided });
                Ok(answer)
            }
            Err(error) => {
                self.jobs.truncate(before.3);
                (self.waiting, self.down, self.serving) = (before.0, before.1, before.2);
                Err(error)
            }
        }
    }

    /// Goes through an event that was answered before, without asking a placer.
    ///
    /// # Errors
    /// [`JobError::Input`] for an entry that does not follow from those before it: the journal is of another cluster or damaged.
    pub fn replay(&mut self, entry: Entry) -> Result<(), JobError> {
        let mut recorded = Recorded { cluster: &self.cluster.clone(), placed: entry.answer.placed.iter() };
        let answer = self.take(&entry.message, &mut recorded)?;
        if (answer.id, &answer.placed) != (entry.answer.id, &entry.answer.placed) {
            return refuse(format!("event {} was answered otherwise", entry.message.id));
        }
        Ok(())
    }

    fn answer(&self, decided: &Decided) -> Answer {
        let waiting = self.waiting.iter().map(|&job| self.jobs[job].name.clone()).collect();
        Answer { id: decided.id, placed: decided.placed.clone(), waiting }
    }

    fn check(&self, event: &Event) -> Result<(), JobError> {
        match event {
            Event::Submit(job) => {
                job.check()?;
                if self.jobs.iter().any(|known| known.name == job.name) {
                    return refuse(format!("two jobs are called '{}'", job.name));
                }
                if job.devices > self.cluster.devices.len() {
                    return refuse(format!(
                        "job '{}' needs {} devices and the cluster has {}",
                        job.name,
                        job.devices,
                        self.cluster.devices.len()
                    ));
                }
                Ok(())
            }
            Event::Finish(name) | Event::Return(name) => {
                if self.running(name).is_some() {
                    return Ok(());
                }
                refuse(format!("job '{name}' gives devices back and was not running"))
            }
            Event::Down(names) | Event::Up(names) => {
                match names.iter().find(|name| self.cluster.number(name).is_none()) {
                    Some(name) => refuse(format!("no device of the cluster is called '{name}'")),
                    None => Ok(()),
                }
            }
        }
    }

    /// The job of this name, if devices serve it.
    fn running(&self, name: &str) -> Option<usize> {
        self.serving.iter().flatten().copied().find(|&job| self.jobs[job].name == name)
    }

    fn apply(&mut self, event: &Event) {
        match event {
            Event::Submit(job) => {
                self.waiting.push_back(self.jobs.len());
                self.jobs.push(job.clone());
            }
            Event::Finish(name) | Event::Return(name) => {
                let Some(job) = self.running(name) else { return };
                for serving in &mut self.serving {
                    *serving = serving.filter(|&other| other != job);
                }
                if matches!(event, Event::Return(_)) {
                    let at = self.waiting.partition_point(|&waiting| waiting < job);
                    self.waiting.insert(at, job);
                }
            }
            Event::Down(names) | Event::Up(names) => {
                for device in names.iter().filter_map(|name| self.cluster.number(name)) {
                    self.down[device] = matches!(event, Event::Down(_));
                }
            }
        }
    }

    fn place(&mut self, placer: &mut dyn Placer) -> Result<Vec<Placement>, JobError> {
        let mut placed = Vec::new();
        while let Some(&index) = self.waiting.front() {
            let job = &self.jobs[index];
            let usable: Vec<bool> = self
                .down
                .iter()
                .zip(&self.serving)
                .map(|(down, serving)| !down && serving.is_none())
                .collect();
            if usable.iter().filter(|&&usable| usable).count() < job.devices {
                break;
            }
            let situation =
                Situation { cluster: &self.cluster, job, usable: &usable, serving: &self.serving };
            let devices = situation.place(placer)?;
            devices.iter().for_each(|&device| self.serving[device] = Some(index));
            let name = |device: usize| self.cluster.devices[device].name.clone();
            placed.push(Placement {
                job: job.name.clone(),
                devices: devices.iter().map(|&device| name(device)).collect(),
                occupied: (0..usable.len()).filter(|&device| !usable[device]).map(name).collect(),
            });
            self.waiting.pop_front();
        }
        Ok(placed)
    }
}

/// Places as it was done before.
struct Recorded<'a> {
    cluster: &'a JobCluster,
    placed: std::slice::Iter<'a, Placement>,
}

impl Placer for Recorded<'_> {
    fn place(&mut self, situation: &Situation<'_>) -> Result<Vec<usize>, JobError> {
        let next = self.placed.next().filter(|placed| placed.job == situation.job.name);
        let Some(placed) = next else {
            return refuse(format!("job '{}' is placed here and was not", situation.job.name));
        };
        placed
            .devices
            .iter()
            .map(|name| {
                self.cluster
                    .number(name)
                    .ok_or_else(|| JobError::Input(format!("no device of the cluster is called '{name}'")))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::placer::{FirstFit, Random};
    use crate::simulate::tests::cluster;

    fn submit(id: u64, name: &str, devices: usize) -> Message {
        Message { id, event: Event::Submit(Job::new(name, devices, 1.0)) }
    }

    fn placed(answer: &Answer) -> Vec<(&str, Vec<&str>)> {
        answer
            .placed
            .iter()
            .map(|placed| (placed.job.as_str(), placed.devices.iter().map(String::as_str).collect()))
            .collect()
    }

    #[test]
    fn jobs_get_devices_as_they_come_free_and_do_not_overtake() {
        let mut dispatcher = Dispatcher::new(cluster(3, 0.0));
        let mut take = |id, event| dispatcher.take(&Message { id, event }, &mut FirstFit).expect("taken");
        let job = |name: &str, devices| Event::Submit(Job::new(name, devices, 1.0));
        take(1, Event::Down(vec!["d0".into()]));
        assert_eq!(placed(&take(2, job("a", 1))), [("a", vec!["d1"])]);
        assert_eq!(take(3, job("b", 2)).waiting, ["b"]);
        assert_eq!(take(4, job("c", 1)).waiting, ["b", "c"]);
        // A device that fails under its job stays the job's.
        assert_eq!(take(5, Event::Down(vec!["d1".into()])).placed, []);
        assert_eq!(take(6, Event::Up(vec!["d1".into()])).placed, []);
        let answer = take(7, Event::Finish("a".into()));
        assert_eq!(placed(&answer), [("b", vec!["d1", "d2"])]);
        assert_eq!(
            (&answer.placed[0].occupied[..], &answer.waiting[..]),
            (&["d0".into()][..], &["c".into()][..])
        );
        assert_eq!(placed(&take(8, Event::Up(vec!["d0".into()]))), [("c", vec!["d0"])]);
        // A job that comes back goes before one that came in later.
        assert_eq!(take(9, job("e", 1)).waiting, ["e"]);
        take(10, Event::Down(vec!["d2".into()]));
        assert_eq!(take(11, Event::Return("b".into())).waiting, ["b", "e"]);
        assert_eq!(placed(&take(12, Event::Finish("c".into()))), [("b", vec!["d0", "d1"])]);
    }

    #[test]
    fn the_last_event_may_come_twice_and_no_other() {
        let mut dispatcher = Dispatcher::new(cluster(4, 0.0));
        let mut random = Random::new(3);
        let first = dispatcher.take(&submit(1, "a", 2), &mut random).expect("placed");
        assert_eq!(dispatcher.take(&submit(1, "a", 2), &mut random), Ok(first));
        for (message, part) in [
            (submit(1, "b", 2), "event 1 was another one"),
            (submit(3, "b", 2), "the next one is 2"),
            (submit(2, "a", 1), "two jobs are called 'a'"),
            (submit(2, "b", 5), "needs 5 devices and the cluster has 4"),
            (
                Message { id: 2, event: Event::Finish("z".into()) },
                "'z' gives devices back and was not running",
            ),
            (Message { id: 2, event: Event::Up(vec!["x".into()]) }, "no device of the cluster is called 'x'"),
        ] {
            let error = dispatcher.take(&message, &mut random).expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        }
        dispatcher.take(&submit(2, "b", 2), &mut random).expect("refusals change nothing");
    }

    #[test]
    fn a_journal_of_another_cluster_is_refused() {
        let mut dispatcher = Dispatcher::new(cluster(4, 0.0));
        let message = submit(1, "a", 2);
        let answer = dispatcher.take(&message, &mut FirstFit).expect("placed");
        let mut other = cluster(4, 0.0);
        other.devices[0].state = DeviceState::Failed;
        assert!(Dispatcher::new(other).replay(Entry::new(message, &answer)).is_err());
    }

    proptest! {
        /// Whatever happens, a dispatcher made from the journal answers as the one that wrote it would have gone on.
        #[test]
        fn a_journal_leads_to_the_same_place(events in prop::collection::vec((0..5_u8, 0..6_usize), 1..60), cut in 0..60_usize) {
            let mut dispatcher = Dispatcher::new(cluster(6, 0.0));
            let mut journal: Vec<Entry> = Vec::new();
            let mut random = Random::new(1);
            let mut running: Vec<String> = Vec::new();
            for (kind, number) in events {
                let id = dispatcher.last_id() + 1;
                let event = match kind {
                    0 => Event::Submit(Job::new(format!("j{id}"), number % 3 + 1, 1.0)),
                    1 if !running.is_empty() => Event::Finish(running.remove(number % running.len())),
                    4 if !running.is_empty() => Event::Return(running.remove(number % running.len())),
                    2 => Event::Down(vec![format!("d{number}")]),
                    _ => Event::Up(vec![format!("d{number}")]),
                };
                let message = Message { id, event };
                let answer = dispatcher.take(&message, &mut random).expect("taken");
                running.extend(answer.placed.iter().map(|placed| placed.job.clone()));
                journal.push(Entry::new(message, &answer));
            }
            let cut = cut.min(journal.len());
            let mut restarted = Dispatcher::new(cluster(6, 0.0));
            for entry in &journal[..cut] {
                restarted.replay(entry.clone()).expect("follows");
            }
            for entry in &journal[cut..] {
                restarted.replay(entry.clone()).expect("goes on");
            }
            prop_assert_eq!(&restarted.serving, &dispatcher.serving);
            prop_assert_eq!(&restarted.waiting, &dispatcher.waiting);
            prop_assert_eq!(&restarted.down, &dispatcher.down);
        }
    }
}

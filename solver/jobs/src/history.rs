//! Recorded histories: what a real cluster did, one JSON object a line, to learn from without a simulator.

use serde::{Deserialize, Serialize};

use crate::job::{Job, JobError};
use crate::options::reward;
use crate::policy::{Decision, encode};

/// One batch of jobs that was placed and run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Record {
    /// The jobs, in order of submission.
    pub jobs: Vec<Job>,
    /// How they were placed, in order.
    pub decisions: Vec<RecordedDecision>,
    /// Completion time of the last job, seconds.
    pub makespan_seconds: f64,
    /// What the best of several random placements took or was estimated to take, seconds.
    pub random_makespan_seconds: f64,
    /// From the moment each job had its devices to its end, seconds; needed where each job is credited for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_seconds: Option<Vec<f64>>,
}

/// The placement of one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedDecision {
    /// Index of the job.
    pub job: usize,
    /// Numbers of the devices that were occupied or failed.
    pub occupied: Vec<usize>,
    /// Numbers of the devices it got, in order.
    pub devices: Vec<usize>,
}

/// Reads a history for a cluster of so many devices. Empty lines are skipped.
///
/// # Errors
/// [`JobError::Input`] naming the line.
pub fn parse_history(text: &str, devices: usize) -> Result<Vec<Record>, JobError> {
    let mut records = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at_line = |reason: String| JobError::Input(format!("line {}: {reason}", number + 1));
        let record: Record = serde_json::from_str(line).map_err(|error| at_line(error.to_string()))?;
        record.check(devices).map_err(at_line)?;
        records.push(record);
    }
    Ok(records)
}

impl Record {
    fn check(&self, devices: usize) -> Result<(), String> {
        for job in &self.jobs {
            job.check().map_err(|error| error.to_string())?;
        }
        for decision in &self.decisions {
            let Some(job) = self.jobs.get(decision.job) else {
                return Err(format!("a decision on job {} of {}", decision.job, self.jobs.len()));
            };
            let mut taken = decision.occupied.clone();
            for &device in &decision.devices {
                if taken.contains(&device) {
                    return Err(format!("job '{}' was given device {device}, which was taken", job.name));
                }
                taken.push(device);
            }
            if let Some(device) = taken.iter().find(|&&device| device >= devices) {
                return Err(format!("device {device} of a cluster of {devices}"));
            }
            if decision.devices.len() != job.devices {
                return Err(format!(
                    "job '{}' needs {} devices and was given {}",
                    job.name,
                    job.devices,
                    decision.devices.len()
                ));
            }
        }
        let time = |seconds: f64| seconds.is_finite() && seconds > 0.0;
        if let Some(seconds) = &self.run_seconds
            && (seconds.len() != self.jobs.len() || !seconds.iter().all(|&seconds| time(seconds)))
        {
            return Err(format!("run-seconds: a time above 0 for each of the {} jobs", self.jobs.len()));
        }
        if time(self.makespan_seconds) && time(self.random_makespan_seconds) {
            Ok(())
        } else {
            Err("a makespan that is no time above 0".into())
        }
    }

    /// The reward of the batch.
    #[must_use]
    pub fn reward(&self) -> f64 {
        reward(self.random_makespan_seconds, self.makespan_seconds)
    }

    /// How often the time of a run without a fault each job took; none where the record does not say.
    pub(crate) fn stretches(&self) -> Option<Vec<f64>> {
        let seconds = self.run_seconds.as_ref()?;
        Some(self.jobs.iter().zip(seconds).map(|(job, seconds)| seconds / job.seconds).collect())
    }

    /// The choices behind the record, as the policy would have seen them.
    #[must_use]
    pub fn decisions(&self, devices: usize, time_scale_seconds: f64) -> Vec<Decision> {
        let mut choices = Vec::new();
        for decision in &self.decisions {
            let mut usable = vec![true; devices];
            decision.occupied.iter().for_each(|&device| usable[device] = false);
            let job = &self.jobs[decision.job];
            for &action in &decision.devices {
                let state = encode(job, &usable, time_scale_seconds);
                let allowed = usable.iter().map(|&usable| u8::from(usable)).collect();
                usable[action] = false;
                let next_state = encode(job, &usable, time_scale_seconds);
                choices.push(Decision { state, allowed, action, next_state });
            }
        }
        choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"jobs":[{"name":"a","devices":2,"seconds":50.0}],"decisions":[{"job":0,"occupied":[1],"devices":[3,0]}],"makespan-seconds":80.0,"random-makespan-seconds":100.0}"#;

    #[test]
    fn records_give_the_states_the_policy_would_have_seen() {
        let records = parse_history(&format!("{LINE}\n\n"), 4).expect("sound");
        assert!((records[0].reward() - 0.2).abs() < 1e-12);
        let choices = records[0].decisions(4, 100.0);
        assert_eq!(choices[0].state, [0.5, 0.5, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!((choices[0].action, choices[1].action), (3, 0));
        assert_eq!(choices[1].allowed, [1, 0, 1, 0]);
        assert_eq!(choices[1].next_state, [0.5, 0.5, 1.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn broken_records_are_refused_by_line() {
        for (from, to, part) in [
            ("[3,0]", "[3,1]", "device 1, which was taken"),
            ("[3,0]", "[3,9]", "device 9 of a cluster of 4"),
            ("[3,0]", "[3]", "needs 2 devices and was given 1"),
            ("\"job\":0", "\"job\":5", "job 5 of 1"),
            ("80.0", "-1.0", "makespan"),
            ("100.0}", "100.0,\"run-seconds\":[]}", "for each of the 1 jobs"),
            ("\"jobs\"", "\"tasks\"", "tasks"),
        ] {
            let error = parse_history(&format!("{LINE}\n{}", LINE.replacen(from, to, 1)), 4)
                .expect_err(to)
                .to_string();
            assert!(error.starts_with("line 2") && error.contains(part), "{error}");
        }
    }
}

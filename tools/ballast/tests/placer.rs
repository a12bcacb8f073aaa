//! `ballast lab place-serve` and `place-simulate` as an engine uses them: a placer that is killed and started again loses nothing.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use serde_json::{Value, json};

const CLUSTER: &str = r#"{"version":1,"devices":[
  {"name":"d0","host":0,"failures-per-second":0.02},{"name":"d1","host":0,"failures-per-second":0.02},
  {"name":"d2","host":1,"failures-per-second":0.001},{"name":"d3","host":1,"failures-per-second":0.001}]}"#;

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(folder: &Path, journal: &str) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ballast"))
            .current_dir(folder)
            .args(["lab", "place-serve", "cluster.json", "--method", "first-fit", "--journal", journal])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("runs");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Server { child, input, output }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("sent");
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        let mut line = String::new();
        self.output.read_line(&mut line).expect("answered");
        serde_json::from_str(&line).expect("JSON")
    }

    /// SIGKILL.
    fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }
}

/// Thirty jobs that come, run, lose hosts and end, over four devices.
fn events() -> Vec<Value> {
    let submit =
        |job: usize| json!({"submit": {"name": format!("j{job}"), "devices": job % 2 + 1, "seconds": 5.0}});
    let mut events = Vec::new();
    for job in 0..30 {
        events.push(submit(job));
        match job % 5 {
            1 => events.push(json!({"down": ["d0", "d1"]})),
            3 => events.push(json!({"up": ["d0", "d1"]})),
            _ => {}
        }
    }
    events.into_iter().enumerate().map(|(i, event)| json!({"id": i + 1, "event": event})).collect()
}

#[test]
fn a_placer_that_is_killed_at_any_event_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("cluster.json"), CLUSTER).expect("written");
    let whole = run(folder.path(), "whole.jsonl", false);
    let killed = run(folder.path(), "killed.jsonl", true);
    assert_eq!(whole, killed, "the same jobs on the same devices");
    let journal = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a journal");
    assert_eq!(journal("whole.jsonl"), journal("killed.jsonl"));
    assert_eq!(whole.len(), 30);
}

/// Runs all events, then ends the jobs in the order they started. Killed: before, while or after every third event is answered.
fn run(folder: &Path, journal: &str, killed: bool) -> Vec<Value> {
    let mut server = Server::start(folder, journal);
    let mut queue: std::collections::VecDeque<Value> = events().into();
    let (mut placed, mut ended, mut id) = (Vec::new(), 0, 0);
    loop {
        let message = match queue.pop_front() {
            Some(message) => message,
            None if ended < placed.len() => {
                let placed: &Value = &placed[ended];
                ended += 1;
                json!({"id": id + 1, "event": {"finish": placed["job"]}})
            }
            None => break,
        };
        id = message["id"].as_u64().expect("a number");
        if killed && id.is_multiple_of(3) {
            // Whether the event arrived is open: it is sent again, and answered once.
            if id.is_multiple_of(2) {
                server.send(&message);
            } else {
                server.ask(&message);
            }
            server.kill();
            server = Server::start(folder, journal);
        }
        let answer = server.ask(&message);
        assert_eq!(answer["id"], id, "{answer}");
        placed.extend(answer["placed"].as_array().expect("a list").iter().cloned());
    }
    drop(server.input);
    assert!(server.child.wait().expect("ended").success());
    placed
}

#[test]
fn a_journal_cut_short_is_carried_on_and_a_wrong_one_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("cluster.json"), CLUSTER).expect("written");
    let submit = |id: u64, name: &str| json!({"id": id, "event": {"submit": {"name": name, "devices": 1, "seconds": 5.0}}});
    let mut server = Server::start(folder.path(), "j.jsonl");
    server.ask(&submit(1, "a"));
    server.ask(&submit(2, "b"));
    assert!(
        server.ask(&json!({"id": 4, "event": {"finish": "a"}}))["error"]
            .as_str()
            .expect("text")
            .contains("next one is 3")
    );
    assert!(
        server.ask(&json!({"id": 3, "happening": {}}))["error"]
            .as_str()
            .expect("text")
            .contains("not an event")
    );
    server.kill();
    let path = folder.path().join("j.jsonl");
    let text = std::fs::read_to_string(&path).expect("a journal");
    std::fs::write(&path, &text[..text.len() - 5]).expect("cut");
    let mut server = Server::start(folder.path(), "j.jsonl");
    assert_eq!(server.ask(&submit(2, "b"))["placed"][0]["devices"], json!(["d1"]));
    server.kill();
    assert_eq!(std::fs::read_to_string(&path).expect("a journal"), text);
    std::fs::write(&path, text.replace("d1", "d0")).expect("changed");
    let output = Command::new(env!("CARGO_BIN_EXE_ballast"))
        .current_dir(folder.path())
        .args(["lab", "place-serve", "cluster.json", "--method", "first-fit", "--journal", "j.jsonl"])
        .stdin(Stdio::null())
        .output()
        .expect("runs");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("j.jsonl: line 2"), "{message}");
}

/// The placer with a journal and these bytes as its standard input.
fn serve(folder: &Path, cluster: &str, journal: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ballast"))
        .current_dir(folder)
        .args(["lab", "place-serve", cluster, "--method", "first-fit", "--journal", journal])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut stdin = child.stdin.take().expect("piped");
    // It may be gone already: then it has refused.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("ended")
}

#[test]
fn what_is_no_journal_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("cluster.json"), CLUSTER).expect("written");
    for (name, text, part) in [
        ("notes.txt", "notes without a last newline", "none of a placer's journal"),
        ("braces.txt", "{\"message\":{\"text\":", "none of a placer's journal"),
        ("cluster.json", CLUSTER, "this is an input"),
    ] {
        std::fs::write(here.join(name), text).expect("written");
        let output = serve(here, "cluster.json", name, b"");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {message}");
        assert!(message.contains(&format!("{name}: ")) && message.contains(part), "{name}: {message}");
        assert_eq!(std::fs::read_to_string(here.join(name)).expect("there"), text);
    }
}

#[test]
fn a_journal_cut_anywhere_in_its_last_line_is_taken_up_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    std::fs::write(here.join("cluster.json"), CLUSTER).expect("written");
    let submit = |id: u64, name: &str| {
        let event = json!({"id": id, "event": {"submit": {"name": name, "devices": 1, "seconds": 5.0}}});
        format!("{event}\n")
    };
    let (first, second) = (submit(1, "a"), submit(2, "Prüfung"));
    let both = serve(here, "cluster.json", "j.jsonl", format!("{first}{second}").as_bytes());
    let path = here.join("j.jsonl");
    let whole = std::fs::read(&path).expect("a journal");
    let start = whole.iter().position(|&byte| byte == b'\n').expect("two lines") + 1;
    let inside = whole.iter().position(|&byte| byte > 127).expect("an umlaut") + 1;
    assert!(std::str::from_utf8(&whole[..inside]).is_err());
    for end in [start, start + 1, start + 12, inside, whole.len() - 1] {
        std::fs::write(&path, &whole[..end]).expect("cut");
        let output = serve(here, "cluster.json", "j.jsonl", second.as_bytes());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{end}: {message}");
        assert_eq!(message.contains("cut short"), end > start, "{end}: {message}");
        assert!(both.stdout.ends_with(&output.stdout) && !output.stdout.is_empty(), "{end}");
        assert_eq!(std::fs::read(&path).expect("a journal"), whole, "{end}");
    }
}

#[test]
fn a_line_that_is_no_text_is_answered_and_the_next_one_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("cluster.json"), CLUSTER).expect("written");
    let event = json!({"id": 1, "event": {"submit": {"name": "a", "devices": 1, "seconds": 5.0}}});
    let input = [&b"\xff\xfe\n{\"id\": \"\xc3\"}\n"[..], event.to_string().as_bytes(), b"\n"].concat();
    let output = serve(folder.path(), "cluster.json", "j.jsonl", &input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<Value> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .collect::<Result<_, _>>()
        .expect("JSON by line");
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert!(answers[..2].iter().all(|answer| answer["error"].is_string()), "{answers:?}");
    assert_eq!(answers[2]["placed"][0]["devices"], json!(["d0"]));
}

#[test]
fn a_journal_grows_by_an_event_whoever_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("cluster.json"), CLUSTER).expect("written");
    // One job has all devices; 400 wait for it.
    let jobs = 401;
    let events: String = (1..=jobs)
        .map(|id| {
            let job = json!({"name": format!("j{id}"), "devices": 4, "seconds": 5.0});
            format!("{}\n", json!({"id": id, "event": {"submit": job}}))
        })
        .collect();
    let output = serve(folder.path(), "cluster.json", "j.jsonl", events.as_bytes());
    let answers = String::from_utf8(output.stdout).expect("text");
    let last: Value = serde_json::from_str(answers.lines().last().expect("answers")).expect("JSON");
    assert_eq!(last["waiting"].as_array().map(Vec::len), Some(jobs - 1));
    let journal = std::fs::read_to_string(folder.path().join("j.jsonl")).expect("a journal");
    assert_eq!(journal.lines().count(), jobs);
    assert!(journal.lines().all(|line| line.len() < 300), "{journal}");
    // Started again, it knows who waits.
    let again =
        serve(folder.path(), "cluster.json", "j.jsonl", events.lines().last().expect("events").as_bytes());
    let again: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert_eq!(again, last);
}

#[test]
fn the_simulator_says_when_hosts_failed_and_what_it_cost() {
    let folder = tempfile::tempdir().expect("a folder");
    let jobs = r#"{"version":1,"jobs":[{"name":"a","devices":2,"seconds":120},{"name":"b","devices":1,"seconds":10,"submitted-seconds":5}]}"#;
    std::fs::write(folder.path().join("cluster.json"), CLUSTER).expect("written");
    std::fs::write(folder.path().join("jobs.json"), jobs).expect("written");
    let simulate = |options: &[&str]| -> Value {
        let first =
            ["lab", "place-simulate", "jobs.json", "cluster.json", "--restart", "1", "--recovery", "2"];
        let output = Command::new(env!("CARGO_BIN_EXE_ballast"))
            .current_dir(folder.path())
            .args(first.iter().chain(options))
            .output()
            .expect("runs");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let faults = ["--fault-unit", "host", "--horizon", "400", "--fault-seed", "2"];
    let first_fit = simulate(&[&faults[..], &["--method", "first-fit"]].concat());
    let greedy = simulate(&[&faults[..], &["--method", "fault-greedy"]].concat());
    assert_eq!(first_fit["failures"], greedy["failures"], "the same failures whoever places");
    let failures = first_fit["failures"].as_array().expect("a list");
    assert!(failures.iter().all(|failure| failure["device"] == "d0" || failure["device"] == "d2"));
    assert_eq!(greedy["devices"][0], json!([2, 3]));
    assert!(greedy["lost_device_seconds"].as_f64() <= first_fit["lost_device_seconds"].as_f64());
    assert!(first_fit["restarts"].as_u64() > Some(0), "{first_fit}");
}

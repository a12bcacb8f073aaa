"""A Ray cluster of several hosts on one machine, each a raylet with its workers, that can be killed and started again."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import psutil
import ray

# A raylet that is gone is noticed within about two seconds; one that is slow, on a machine that is busy, is not taken for gone.
HEALTH = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 5000,
    "health_check_failure_threshold": 3,
}
STORE_BYTES = 80_000_000


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def host_of(device: dict) -> str:
    return f"host{device.get('host', 0)}"


class Hosts:
    """The head, which runs no job, and a raylet per host of a cluster file."""

    def __init__(self, cluster: dict) -> None:
        self.devices: dict[str, list[str]] = {}
        for device in cluster["devices"]:
            self.devices.setdefault(host_of(device), []).append(device["name"])
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rj"))
        self.ray = str(pathlib.Path(sys.executable).parent / "ray")
        self.environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(__file__).parent), RAY_DEDUP_LOGS="0")
        self.address = f"127.0.0.1:{free_port()}"
        port = self.address.rpartition(":")[2]
        self.head = self.spawn(
            ["--head", "--port", port, "--num-cpus=0", "--include-dashboard=false", "--temp-dir", str(self.folder)],
            ["--system-config", json.dumps(HEALTH)],
        )
        self.processes: dict[str, subprocess.Popen] = {}
        try:
            self.connect()
            for host in self.devices:
                self.start(host)
                self.wait_for({host})
            self.warm_up()
        except BaseException:
            self.close()
            raise

    def spawn(self, *arguments: list[str]) -> subprocess.Popen:
        command = [self.ray, "start", "--block", "--node-ip-address=127.0.0.1", f"--object-store-memory={STORE_BYTES}"]
        # Ports that the system chooses: hosts of one machine must not share them.
        command += ["--min-worker-port=0", "--max-worker-port=0", "--dashboard-agent-listen-port=0", "--include-log-monitor=false"]
        command += ["--disable-usage-stats", *(word for part in arguments for word in part)]
        log = open(self.folder / "start.log", "a")  # The process keeps it.
        return subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)

    def connect(self) -> None:
        """Connects this process before any host is there, so that it hangs on the head alone."""
        until = time.monotonic() + 60
        while True:
            try:
                ray.init(address=self.address, log_to_driver=False, logging_level="ERROR", _node_ip_address="127.0.0.1")
                return
            except (ConnectionError, RuntimeError, ValueError):
                if time.monotonic() > until or self.head.poll() is not None:
                    raise
                time.sleep(0.5)

    def warm_up(self) -> None:
        """Starts the worker of every device: the first process of a device waits for it otherwise."""
        nap = ray.remote(lambda: time.sleep(1.0))
        names = [name for devices in self.devices.values() for name in devices]
        ray.get([nap.options(num_cpus=1, resources={name: 1}).remote() for name in names])

    def start(self, host: str) -> None:
        """Starts a host's raylet; returns before it is there."""
        devices = self.devices[host]
        resources = {name: 1 for name in [host, *devices]}
        self.processes[host] = self.spawn(
            ["--address", self.address, f"--num-cpus={len(devices)}", "--resources", json.dumps(resources)]
        )

    def start_again(self) -> None:
        """Starts the hosts whose start failed, as on a machine that is too busy, or that ended by themselves."""
        for host, process in self.processes.items():
            code = process.poll()
            if code is not None and code >= 0:
                self.start(host)

    def kill(self, host: str) -> None:
        """Ends all processes of a host at once, as a power cut would."""
        kill_tree(self.processes[host])

    def up(self) -> set[str]:
        """Hosts that the engine takes for alive."""
        alive = [node for node in ray.nodes() if node["Alive"]]
        return {host for host in self.devices if any(host in node["Resources"] for node in alive)}

    def wait_for(self, hosts: set[str], seconds: float = 120.0) -> None:
        until = time.monotonic() + seconds
        while not hosts <= self.up():
            if time.monotonic() > until:
                raise TimeoutError(f"hosts {sorted(hosts - self.up())} do not come up: see {self.folder}/start.log")
            self.start_again()
            time.sleep(0.2)

    def close(self) -> None:
        ray.shutdown()
        for process in [*self.processes.values(), self.head]:
            kill_tree(process)
        shutil.rmtree(self.folder, ignore_errors=True)


def kill_tree(process: subprocess.Popen) -> None:
    """SIGKILL for a process and all that came from it."""
    try:
        tree = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        tree = []
    for child in [process, *tree]:
        try:
            os.kill(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()

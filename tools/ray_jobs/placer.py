"""The client of `ballast lab place-serve`: events out, placements in; a placer that dies is started again and goes on from its journal."""

import json
import subprocess


class PlacerError(Exception):
    """The placer refused an event, or does not start."""


class Placer:
    """A placer of Ballast's as a process of its own."""

    def __init__(self, command: list[str]) -> None:
        self.command = command
        self.last = 0
        self.starts = 0
        self.process = self.start()

    def start(self) -> subprocess.Popen:
        self.starts += 1
        return subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, event: dict) -> list[dict]:
        """Says what happened; returns the jobs that start now. An event whose answer was lost is sent again, and answered once."""
        self.last += 1
        line = json.dumps({"id": self.last, "event": event}) + "\n"
        while True:
            answer = self.ask(line)
            if answer is not None:
                break
            code = self.process.wait()
            # Killed by a signal: it carries on. Ended by itself: it said why.
            if code >= 0:
                raise PlacerError(f"the placer ended with code {code}: {' '.join(self.command)}")
            self.process = self.start()
        if "error" in answer:
            raise PlacerError(answer["error"])
        return answer["placed"]

    def ask(self, line: str) -> dict | None:
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            return None
        return json.loads(answer) if answer.endswith("\n") else None

    def kill(self) -> None:
        """SIGKILL, at any moment."""
        self.process.kill()

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()

"""Memory and peak rates of the devices that Ballast knows, for rooflines and for `will_it_fit`.

The same figures as solver/core/src/devices/*.toml, whose headers name the data sheets; `tests/test_core.py` compares the two.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import warnings

from . import _options
from ._units import parse_bytes


class HostLink:
    """What connects a device and its host, for copies each way.

    Args:
        bandwidth: Bytes per second, such as `"32GB"`.
        latency_seconds: Of every copy, on top of its bytes.
    """

    def __init__(self, bandwidth: int | float | str, latency_seconds: float = 0.0) -> None:
        _options.number("latency_seconds", latency_seconds)
        if not 0 <= latency_seconds < 1e6:
            raise ValueError(f"latency_seconds={latency_seconds!r}: give seconds, 0 or more")
        self.bandwidth = parse_bytes(bandwidth)
        self.latency_seconds = float(latency_seconds)

    def seconds(self, size: int) -> float:
        """Of one copy."""
        return self.latency_seconds + size / self.bandwidth

    def __repr__(self) -> str:
        return f"HostLink({self.bandwidth}, {self.latency_seconds})"


@dataclasses.dataclass(frozen=True)
class Device:
    """Bytes, operations per second by element type, bytes per second, seconds."""

    name: str
    memory_bytes: int
    peak_f32: float
    peak_16: float
    peak_64: float
    bandwidth: float
    launch_seconds: float
    #: None: its memory is the host's.
    host_link: HostLink | None = None

    def peak(self, bits: int) -> float:
        """Operations per second on elements of so many bits."""
        return self.peak_16 if bits <= 16 else self.peak_f32 if bits <= 32 else self.peak_64


GB, GIB = 10**9, 2**30
#: As docs/devices.md lists them.
DEVICES: dict[str, Device] = {
    device.name: device
    for device in (
        Device("a100-40gb", 40 * GB, 19.5e12, 312e12, 9.7e12, 1555e9, 0.9e-6, HostLink(32 * GB, 10e-6)),
        Device("a100-80gb", 80 * GB, 19.5e12, 312e12, 9.7e12, 2039e9, 0.9e-6, HostLink(32 * GB, 10e-6)),
        Device("b200", 180 * GB, 80e12, 2250e12, 40e12, 8000e9, 0.9e-6, HostLink(64 * GB, 10e-6)),
        Device("board-chip", 6 * 10**6, 12.87e9, 12.87e9, 12.87e9, 100e9, 0.0, HostLink(GB)),
        Device("cpu", 16 * GIB, 768e9, 768e9, 384e9, 51.2e9, 0.0, HostLink("25.6GB", 1e-6)),
        Device("h100-80gb", 80 * GB, 67e12, 989.5e12, 34e12, 3350e9, 0.9e-6, HostLink(64 * GB, 10e-6)),
        Device("h200", 141 * GB, 67e12, 989.5e12, 34e12, 4800e9, 0.9e-6, HostLink(64 * GB, 10e-6)),
        Device("l40s", 48 * GB, 91.6e12, 362.05e12, 1.43e12, 864e9, 0.9e-6, HostLink(32 * GB, 10e-6)),
        Device("mi300x", 192 * GB, 163.4e12, 1307.4e12, 81.7e12, 5300e9, 0.9e-6, HostLink(64 * GB, 10e-6)),
        Device("rtx-4090", 24 * GIB, 82.6e12, 165.2e12, 1.29e12, 1008e9, 0.9e-6, HostLink("31.5GB", 10e-6)),
        Device("rtx-5090", 32 * GIB, 104.8e12, 209.5e12, 1.64e12, 1792e9, 0.9e-6, HostLink(63 * GB, 10e-6)),
        Device("rtx2080ti", 11 * GIB, 13.4e12, 53.8e12, 0.42e12, 616e9, 0.9e-6, HostLink("15.75GB", 10e-6)),
        Device("tpu-v3-core", 16 * GIB, 61.5e12, 61.5e12, 61.5e12, 450e9, 0.0, HostLink(8 * GB, 10e-6)),
        Device("tpu-v5e", 16 * GB, 197e12, 197e12, 197e12, 819e9, 0.0, HostLink(16 * GB, 10e-6)),
        Device("tpu-v5p", 95 * GB, 459e12, 459e12, 459e12, 2765e9, 0.0, HostLink(16 * GB, 10e-6)),
        Device("tpu-v6e", 32 * GB, 918e12, 918e12, 918e12, 1638e9, 0.0, HostLink(64 * GB, 10e-6)),
        Device("v100-16gb", 16 * GB, 15.7e12, 125e12, 7.8e12, 900e9, 0.9e-6, HostLink(16 * GB, 10e-6)),
        Device("v100-32gb", 32 * GB, 15.7e12, 125e12, 7.8e12, 900e9, 0.9e-6, HostLink(16 * GB, 10e-6)),
    )
}
#: What an accelerator is taken for that nobody knows.
USUAL = DEVICES["h100-80gb"]
#: A few cores with vector units; round figures of ours.
CPU = Device("cpu", 0, 100e9, 50e9, 50e9, 20e9, 2e-6)


#: What stands in the names of GPUs, as a word of its own, and which kind has it.
_GPUS = (
    (r"H100", "h100-80gb"), (r"H200", "h200"), (r"B200", "b200"), (r"L40S", "l40s"), (r"RTX 4090(?! (D|LAPTOP))", "rtx-4090"), (r"RTX 5090(?! (D|LAPTOP))", "rtx-5090"),
    (r"RTX 2080 TI", "rtx2080ti"), (r"MI300X", "mi300x"), (r"A100.*40GB", "a100-40gb"), (r"A100", "a100-80gb"), (r"V100S?.*32GB", "v100-32gb"), (r"V100", "v100-16gb"),
)


@functools.cache
def of_cuda(name: str) -> Device:
    """The table's entry for a GPU as its driver names it, such as `NVIDIA A100-SXM4-80GB`; for one that the table has not the H100's, which is said once."""
    for pattern, known in _GPUS:
        if re.search(rf"(?<![A-Z0-9]){pattern}(?![A-Z0-9])", name.upper()):
            return DEVICES[known]
    warnings.warn(
        f"Ballast: the rates of {name!r} are not known, and an op is taken to be as fast as on an {USUAL.name}: name a kind that is like it (times=, one of "
        f"{', '.join(DEVICES)})",
        stacklevel=2,
    )
    return USUAL


def by_name(name: str) -> Device:
    """The table's entry.

    Raises:
        ValueError: there is none of this name.
    """
    if name not in DEVICES:
        raise ValueError(f"{name!r} is not a known device: choose one of {', '.join(DEVICES)}, or give memory as bytes such as '24GiB'")
    return DEVICES[name]

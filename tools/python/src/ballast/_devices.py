"""Memory and peak rates of the devices that Ballast knows, for rooflines and for `will_it_fit`.

The same figures as solver/core/src/devices/*.toml, whose headers name the data sheets; `tests/test_core.py` compares the two.
"""

from __future__ import annotations

import dataclasses

from ._units import parse_bytes


class HostLink:
    """What connects a device and its host, for copies each way.

    Args:
        bandwidth: Bytes per second, such as `"32GB"`.
        latency_seconds: Of every copy, on top of its bytes.
    """

    def __init__(self, bandwidth: int | float | str, latency_seconds: float = 0.0) -> None:
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


GB = 10**9
DEVICES: dict[str, Device] = {
    device.name: device
    for device in (
        Device("h100-80gb", 80 * GB, 67e12, 989.5e12, 34e12, 3350e9, 0.9e-6, HostLink(64 * GB, 10e-6)),
        Device("a100-80gb", 80 * GB, 19.5e12, 312e12, 9.7e12, 2039e9, 0.9e-6, HostLink(32 * GB, 10e-6)),
        Device("a100-40gb", 40 * GB, 19.5e12, 312e12, 9.7e12, 1555e9, 0.9e-6, HostLink(32 * GB, 10e-6)),
        Device("v100-32gb", 32 * GB, 15.7e12, 125e12, 7.8e12, 900e9, 0.9e-6, HostLink(16 * GB, 10e-6)),
        Device("v100-16gb", 16 * GB, 15.7e12, 125e12, 7.8e12, 900e9, 0.9e-6, HostLink(16 * GB, 10e-6)),
    )
}
#: A few cores with vector units; round figures of ours.
CPU = Device("cpu", 0, 100e9, 50e9, 50e9, 20e9, 2e-6)


def of_cuda(name: str) -> Device:
    """The table's entry for a device as CUDA names it, such as `NVIDIA A100-SXM4-80GB`; the H100 where none matches."""
    upper = name.upper()
    for word, known in (("H100", "h100-80gb"), ("H200", "h100-80gb"), ("A100-SXM4-40", "a100-40gb"), ("A100", "a100-80gb"), ("V100", "v100-16gb")):
        if word in upper:
            return DEVICES[known]
    return DEVICES["h100-80gb"]


def by_name(name: str) -> Device:
    """The table's entry.

    Raises:
        ValueError: there is none of this name.
    """
    if name not in DEVICES:
        raise ValueError(f"{name!r} is not a known device: choose one of {', '.join(DEVICES)}, or give memory as bytes such as '24GiB'")
    return DEVICES[name]

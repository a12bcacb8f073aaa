"""Memory and peak rates of the devices that Ballast knows, for rooflines and for `will_it_fit`.

The same figures as solver/core/src/devices/*.toml, whose headers name the data sheets; `tests/test_core.py` compares the two.
"""

from __future__ import annotations

import dataclasses


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

    def peak(self, bits: int) -> float:
        """Operations per second on elements of so many bits."""
        return self.peak_16 if bits <= 16 else self.peak_f32 if bits <= 32 else self.peak_64


GB = 10**9
DEVICES: dict[str, Device] = {
    device.name: device
    for device in (
        Device("h100-80gb", 80 * GB, 67e12, 989.5e12, 34e12, 3350e9, 0.9e-6),
        Device("a100-80gb", 80 * GB, 19.5e12, 312e12, 9.7e12, 2039e9, 0.9e-6),
        Device("a100-40gb", 40 * GB, 19.5e12, 312e12, 9.7e12, 1555e9, 0.9e-6),
        Device("v100-32gb", 32 * GB, 15.7e12, 125e12, 7.8e12, 900e9, 0.9e-6),
        Device("v100-16gb", 16 * GB, 15.7e12, 125e12, 7.8e12, 900e9, 0.9e-6),
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

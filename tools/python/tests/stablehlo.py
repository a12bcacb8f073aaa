"""StableHLO programs as text: written by JAX, and run."""

import jax
import numpy as np
from jaxlib import xla_client


def text_of(lowered):
    """A lowered function in MLIR's generic form."""
    return lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True)


def results(text, arguments):
    """What a program gives for arguments."""
    device = jax.devices("cpu")[0]
    compiled = device.client.compile_and_load(text, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    return [np.asarray(value) for value in compiled.execute([jax.device_put(value, device) for value in arguments])]

"""Steps of JAX with their loops written anew."""

import jax

from ballast.jax import _loops
from ballast.jax._signature import Signature


def written_anew(step, *args):
    """What the loops of a step compute again, and the step so."""
    exported = jax.export.export(jax.jit(step))(*args)
    signature = Signature(exported, [False] * len(exported.in_avals))
    return {mode: signature.function(run) for mode, run in _loops.rolled(step, args, {}, signature)}

"""Final states of an LSTM, which torch's decomposition gives a dimension too many: (layers, 1, batch, hidden), where eager's are (layers, batch, hidden)."""

from __future__ import annotations

from typing import Any

from torch._decomp import decompositions

_layer = decompositions.one_layer_lstm


def _layer_of_batch(*given: Any, **options: Any) -> Any:
    """One layer, with final states of (batch, hidden). Torch takes the wrong one of the dimensions (1, batch, hidden) out of them, and only where the batch is 1 as well."""
    out, states = _layer(*given, **options)
    return out, tuple(state.squeeze(0) if state.dim() == 3 else state for state in states)


def mend() -> None:
    """Puts it in the place of torch's for good: dynamo reads the shapes of an LSTM before any backend is asked."""
    decompositions.one_layer_lstm = _layer_of_batch

"""Which formula `kl_divergence` takes for two distributions: torch looks it up at the first call, in code that dynamo cannot trace, and knows it from then on."""

from __future__ import annotations

from torch.distributions import kl


def know_divergences() -> None:
    """Has it looked up for all pairs that have a formula of their own. Registering another one makes torch forget them."""
    if len(kl._KL_MEMOIZE) < len(kl._KL_REGISTRY):
        for pair in list(kl._KL_REGISTRY):
            kl._KL_MEMOIZE[pair] = kl._dispatch_kl(*pair)

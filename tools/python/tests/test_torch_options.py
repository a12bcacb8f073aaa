"""PyTorch: options that make no sense are refused where they are given, by the names they were given under."""

import pytest

torch = pytest.importorskip("torch")

import ballast  # noqa: E402
import ballast.torch  # noqa: E402

#: What is given, the error, and what it says of what is allowed.
WRONG = [
    ({"time_limit": 0}, ValueError, "seconds above zero"), ({"time_limit": -1}, ValueError, "seconds above zero"),
    ({"time_limit": float("nan")}, ValueError, "seconds above zero"), ({"time_limit": "2"}, TypeError, "a number of seconds"),
    ({"seed": -1}, ValueError, "from 0 to"), ({"seed": 1.5}, TypeError, "a whole number"),
    ({"threads": 0}, ValueError, "from 1 to 1024"), ({"threads": 4096}, ValueError, "from 1 to 1024"),
    ({"work_limit": -1}, ValueError, "from 0 to"), ({"offload": "yes"}, TypeError, "HostLink"),
]
OF_A_MODEL = [
    ({"in_flight": 1.5}, TypeError, "a whole number, 1 or more"), ({"in_flight": 0}, ValueError, "1 or more"),
    ({"in_flight": 2, "cap_counts": "saved"}, ValueError, "cap_counts='step'"), ({"rehearse": "no"}, TypeError, "True or False"),
    ({"held_bytes": -100_000}, ValueError, "0 or more"), ({"held_bytes": "x"}, ValueError, "such as '2GiB'"), ({"held_bytes": [1]}, TypeError, "such as '2GiB'"),
    ({"optimizer": 3}, TypeError, "torch.optim"), ({"accumulates": "x"}, TypeError, "True or False"), ({"fullgraph": None}, TypeError, "True or False"),
]


@pytest.mark.parametrize(("given", "error", "allowed"), WRONG + OF_A_MODEL)
def test_what_makes_no_sense_is_refused_by_compile(given, error, allowed):
    with pytest.raises(error, match=allowed) as refused:
        ballast.torch.compile(torch.nn.Linear(4, 4), cap="1GB", **given)
    assert next(iter(given)) in str(refused.value) and "--" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "error", "allowed"),
    [
        *WRONG, ({"microbatches": 2.5}, TypeError, "a whole number"), ({"devices": 0}, ValueError, "1 or more"), ({"nothing": 1}, TypeError, "unexpected"),
        ({"in_flight": 2}, TypeError, "microbatches"),
    ],
)
def test_what_makes_no_sense_is_refused_before_a_model_is_split(given, error, allowed):
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
    with pytest.raises(error, match=allowed) as refused:
        ballast.torch.pipeline(model, (torch.randn(2, 4),), **{"devices": 2, "cap": "1GB", "microbatches": 2, **given})
    assert next(iter(given)) in str(refused.value)


@pytest.mark.parametrize("held", ["1KiB", "1.024kB", 1024, 1024.0])
def test_what_is_held_is_written_as_a_cap_is(held, fresh_torch):
    model, batch = torch.nn.Linear(4, 4), torch.randn(2, 4)
    def resident(**options):
        torch._dynamo.reset()
        compiled = ballast.torch.compile(model, cap="1GB", **options)
        compiled(batch).sum().backward()
        return compiled.plan.resident_bytes
    assert resident(held_bytes=held) == resident(held_bytes=0) + 1024


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.SGD, torch.optim.RMSprop, torch.optim.Rprop])
def test_state_to_come_counts_for_parameters_that_were_not_stepped_yet(kind):
    first, second, frozen = (torch.nn.Parameter(torch.ones(size)) for size in (10, 1000, 100))
    frozen.requires_grad_(False)
    optimizer = kind([first, second, frozen], lr=0.1, **({"momentum": 0.9} if kind is torch.optim.SGD else {}))
    before = ballast.torch.optimizer_bytes(optimizer) if kind is not torch.optim.Rprop else None
    first.sum().backward()
    optimizer.step()
    between = ballast.torch.optimizer_bytes(optimizer)
    (first.sum() + second.sum()).backward()
    optimizer.step()
    held = sum(value.nbytes for state in optimizer.state.values() for value in state.values() if isinstance(value, torch.Tensor))
    assert ballast.torch.optimizer_bytes(optimizer) == held >= 4 * 1010
    # Of a kind that is not known it is what is there: two tensors and a counter of the first parameter.
    assert (before, between) == ((None, 4 * (2 * 10 + 1)) if kind is torch.optim.Rprop else (held, held))

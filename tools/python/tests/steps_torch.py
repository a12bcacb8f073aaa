"""Steps of PyTorch models as the tests take them: how long plans are searched for, what a step gives, and what was said meanwhile."""

import torch

#: A second on one thread.
QUICK = {"time_limit": 1.0, "threads": 1}


def gradients(model, run, state):
    """Loss, gradients and buffers of one step from a state and a seed."""
    model.load_state_dict(state)
    model.zero_grad(set_to_none=True)
    torch.manual_seed(1)
    loss = run()
    loss.backward()
    found = {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}
    return loss.item(), found, {name: buffer.clone() for name, buffer in model.named_buffers()}


def said(caught):
    """Of the warnings caught, what Ballast's say."""
    return [str(warning.message) for warning in caught if "Ballast" in str(warning.message)]

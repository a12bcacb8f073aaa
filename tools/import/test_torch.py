#!/usr/bin/env python3
"""Checks the PyTorch models against their published sizes, and the exported step against PyTorch's own optimiser.

Needs requirements-torch.txt.
"""

import unittest

import torch
from torch._subclasses import FakeTensorMode

import export_torch
from torch_models import MODELS, Gpt2, Mlp, ResNet18, ResNet50, Vgg16


class ModelTest(unittest.TestCase):
    """The architectures are the published ones."""

    def test_parameter_counts(self):
        """Trainable parameters at the original input size and 1000 classes."""
        published = [
            (Vgg16(), 138_357_544),
            (ResNet18(), 11_689_512),
            (ResNet50(), 25_557_032),
            (Gpt2(sequence=1024), 124_439_808),
        ]
        for model, count in published:
            with FakeTensorMode():
                module = model.module()
            self.assertEqual(sum(parameter.numel() for parameter in module.parameters()), count, model)

    def test_sizes_that_do_not_fit_are_refused(self):
        """Heads that do not divide the width; images that five halvings do not divide."""
        with self.assertRaisesRegex(ValueError, "--heads 7"):
            MODELS["gpt2"](width=64, heads=7)
        with self.assertRaisesRegex(ValueError, "--image 33"):
            MODELS["vgg16"](image=33)


class StepTest(unittest.TestCase):
    """The step is the derivative it claims to be."""

    def test_one_step_equals_the_optimiser(self):
        """New parameters and loss agree with cross_entropy and SGD."""
        torch.manual_seed(0)
        module = Mlp(batch=8, features=16, width=32).module()
        x, labels = torch.randn(8, 16), torch.randint(0, 10, (8,))
        names = [name for name, _ in module.named_parameters()]
        step = export_torch.training_step(module, names, 0.1)
        *updated, loss = step(*module.parameters(), x, labels)
        reference = torch.nn.functional.cross_entropy(module(x), labels)
        optimiser = torch.optim.SGD(module.parameters(), lr=0.1)
        reference.backward()
        optimiser.step()
        torch.testing.assert_close(loss, reference)
        torch.testing.assert_close(updated, list(module.parameters()), check_stride=False)


if __name__ == "__main__":
    unittest.main()

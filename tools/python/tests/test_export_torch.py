"""Checks the PyTorch models against their published sizes, and the exported step against PyTorch's own optimiser.

Needs requirements-export-torch.txt.
"""

import unittest

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_mlir", reason="torch-mlir is not installed: requirements-export-torch.txt")

from torch._subclasses import FakeTensorMode  # noqa: E402

from ballast.export import torch as export_torch  # noqa: E402
from ballast.export._torch_models import MODELS, Gpt2, Mlp, ResNet18, ResNet50, Vgg16  # noqa: E402


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

    def test_frozen_and_unused_parameters_stay(self):
        """A parameter without requires_grad, one of whole numbers, and one that the loss does not depend on."""

        class Partly(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.frozen, self.head, self.unused = (torch.nn.Linear(8, 8) for _ in range(3))
                self.frozen.requires_grad_(False)
                self.shift = torch.nn.Parameter(torch.arange(8), requires_grad=False)

            def forward(self, x):
                return self.head(self.frozen(x)) + self.shift

        torch.manual_seed(0)
        module = Partly()
        names = [name for name, _ in module.named_parameters()]
        x, labels = torch.randn(16, 8), torch.randint(0, 8, (16,))
        *updated, _ = export_torch.training_step(module, names, 0.1)(*module.parameters(), x, labels)
        moved = {name for name, old, new in zip(names, module.parameters(), updated, strict=True) if not torch.equal(old, new)}
        self.assertEqual(moved, {"head.weight", "head.bias"})


class Small(torch.nn.Module):
    """Two levels of a U-Net: batch normalisation, max pooling, a transposed convolution; logits last."""

    def __init__(self):
        super().__init__()
        self.down = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(inplace=True))
        self.low = torch.nn.Sequential(torch.nn.Conv2d(8, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(inplace=True))
        self.up, self.last = torch.nn.ConvTranspose2d(8, 8, 2, 2), torch.nn.Conv2d(16, 2, 1)

    def forward(self, x):
        high = self.down(x)
        low = self.up(self.low(torch.nn.functional.max_pool2d(high, 2)))
        return self.last(torch.cat([high, low], 1)).permute(0, 2, 3, 1)


class OwnModelTest(unittest.TestCase):
    """Models as people write them become files."""

    def test_a_transformer_encoder_with_and_without_dropout(self):
        """Attention and dropout are lowered; with dropout too."""
        for dropout in (0.0, 0.1):
            layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=dropout, batch_first=True)
            module = torch.nn.TransformerEncoder(layer, 1)
            text = export_torch.export(module, (torch.randn(2, 8, 16),), torch.randint(0, 16, (2, 8)), "linalg")
            self.assertIn("linalg.batch_matmul", text)
            self.assertIn("func.func @main", text)

    def test_a_unet_with_its_running_averages(self):
        """The step returns parameters, buffers, loss."""
        module = Small()
        text = export_torch.export(module, (torch.randn(2, 3, 8, 8),), torch.randint(0, 2, (2, 8, 8)), "linalg")
        results = len(list(module.parameters())) + len(list(module.buffers())) + 1
        returned = [line for line in text.splitlines() if "return" in line][-1]
        self.assertEqual(returned.split(":")[0].count("%"), results)


class Convolutions(torch.nn.Module):
    """A depthwise convolution, one of two groups with a stride, and a dilated one over a sequence."""

    def __init__(self):
        super().__init__()
        self.into = torch.nn.Conv2d(3, 64, 1)
        self.depthwise = torch.nn.Conv2d(64, 64, 7, padding=3, groups=64)
        self.grouped = torch.nn.Conv2d(64, 8, 3, stride=2, groups=2)
        self.dilated = torch.nn.Conv1d(8, 10, 3, padding=2, dilation=2)

    def forward(self, x):
        return self.dilated(self.grouped(self.depthwise(self.into(x))).flatten(2)).transpose(1, 2)


class ConvolutionsTest(unittest.TestCase):
    """What torch-mlir has no gradients for."""

    def test_grouped_and_dilated_convolutions_have_every_form(self):
        """A whole step is written."""
        torch.manual_seed(0)
        labels = torch.randint(0, 10, (2, 9))
        for form in export_torch.FORMS:
            self.assertIn("main", export_torch.export(Convolutions(), (torch.randn(2, 3, 8, 8),), labels, form))

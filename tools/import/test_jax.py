#!/usr/bin/env python3
"""Checks the JAX models against their published sizes, and that an exported step learns. Needs requirements-jax.txt."""

import math
import unittest

import jax
import jax.numpy as jnp

import export_jax
from jax_models import MODELS, AlexNet, Gpt2, InceptionV3, Mlp, ResNet50, Vgg16


class ModelTest(unittest.TestCase):
    """The architectures are the published ones."""

    def test_parameter_counts(self):
        """Trainable parameters at the original input size and 1000 classes."""
        published = [
            (AlexNet(batch=1), 61_100_840),
            (Vgg16(batch=1), 138_357_544),
            (ResNet50(batch=1), 25_557_032),
            # Without the auxiliary head.
            (InceptionV3(batch=1), 23_834_568),
            (Gpt2(batch=1, sequence=1024), 124_439_808),
        ]
        for model, count in published:
            _, parameters, _ = export_jax.model_loss(model, jnp.float32)
            self.assertEqual(sum(math.prod(leaf.shape) for leaf in parameters.values()), count, model)

    def test_small_images_keep_some_space(self):
        """At 3x32x32 every image model still has a feature map, and exports with static shapes."""
        for name in ("alexnet", "vgg16", "resnet50", "inception-v3"):
            model = MODELS[name](batch=2, image=32, classes=10)
            text = export_jax.export(*export_jax.model_loss(model, jnp.bfloat16))
            self.assertIn('"stablehlo.convolution"', text)
            self.assertNotIn("?x", text)
            self.assertNotIn("tensor<0", text)


class StepTest(unittest.TestCase):
    """The step is the derivative it claims to be."""

    def test_repeated_steps_learn_one_batch(self):
        """A hundred steps on one batch more than halve the loss."""
        loss, shapes, batch = export_jax.model_loss(Mlp(batch=8, features=16, width=32), jnp.float32)
        keys = iter(jax.random.split(jax.random.key(0), len(shapes) + 2))
        parameters = {name: 0.1 * jax.random.normal(next(keys), leaf.shape) for name, leaf in shapes.items()}
        x = jax.random.normal(next(keys), batch[0].shape)
        labels = jax.random.randint(next(keys), batch[1].shape, 0, 10)
        step = jax.jit(export_jax.training_step(loss, 0.1))
        losses = []
        for _ in range(100):
            parameters, value = step(parameters, x, labels)
            losses.append(float(value))
        self.assertLess(losses[-1], losses[0] / 2)


if __name__ == "__main__":
    unittest.main()

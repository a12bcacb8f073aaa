"""Checks the JAX models against their published sizes, and that an exported step learns."""

import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zlib

import jax
import jax.export
import jax.numpy as jnp

from ballast import _programs
from ballast.export import jax as export_jax
from ballast.export._jax_layers import checkpointed
from ballast.export._jax_models import MODELS, AlexNet, Gpt2, InceptionV3, Mlp, ResNet50, Vgg16
from ballast.export._jax_sequences import Bert, Decoder, Lstm, Vit
from ballast.export._jax_vision import MobileNet, UNet
from ballast.export.generic import generic


class OwnStepTest(unittest.TestCase):
    """Steps as people write them become files, as they are."""

    SOURCE = """
import functools
import jax
import jax.numpy as jnp

@functools.partial(jax.jit, donate_argnums=0)
def step(state, batch):
    loss = lambda weights: jnp.square(jnp.tanh(batch @ weights["w"])).mean()
    value, gradients = jax.value_and_grad(loss)(state["weights"])
    return {"weights": jax.tree.map(lambda old, new: old - new, state["weights"], gradients), "count": state["count"] + 1}, value

def make():
    state = {"weights": {"w": jax.ShapeDtypeStruct((8, 4), jnp.float32)}, "count": 0}
    return step, (state, jnp.ones((2, 8)))
"""

    def test_a_step_with_donated_state_and_where_its_ops_come_from(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "mine.py"), pathlib.Path(folder, "mine.mlir")
            source.write_text(self.SOURCE)
            for options, located in (([], False), (["--locations"], True)):
                command = [sys.executable, "-m", "ballast.export.jax", "step", f"{source}:make", "-o", target, *options]
                subprocess.run(command, check=True, capture_output=True)
                text = target.read_text()
                self.assertIn('"stablehlo.tanh"', text)
                # The weights and the count are written over.
                self.assertEqual(text.count("tf.aliasing_output"), 2)
                self.assertEqual("mine.py" in text, located)
            self.assertIn("ballast.plan", _programs.run("ballast-opt", [target, "--allow-unregistered-dialect", "--remat=time-limit=2"]))

    def test_what_is_no_function_of_a_file_is_said_in_a_sentence(self):
        found = subprocess.run(
            [sys.executable, "-m", "ballast.export.jax", "step", "missing.py:make", "-o", "never.mlir"], capture_output=True, text=True, check=False,
        )
        self.assertEqual((found.returncode, found.stderr), (1, "missing.py: not a Python file\n"))


class GenericTest(unittest.TestCase):
    """Programs in the forms that JAX gives them."""

    def test_every_form_is_the_same_program(self):
        jitted = jax.jit(lambda weights, x: jnp.tanh(x @ weights).sum())
        given = jnp.ones((4, 4)), jnp.ones((2, 4))
        exported = jax.export.export(jitted)(*given)
        forms = {
            "pretty": jitted.lower(*given).as_text().encode(), "located": jitted.lower(*given).as_text(debug_info=True).encode(),
            "artifact": exported.mlir_module_serialized, "module": exported.mlir_module().encode(),
        }
        try:
            forms["export"] = bytes(exported.serialize())
        except ImportError:  # It needs flatbuffers.
            pass
        for name, data in forms.items():
            text = generic(data)
            self.assertEqual([text.count(f'"stablehlo.{op}"') for op in ("dot_general", "tanh", "reduce")], [1, 1, 1], name)
            self.assertEqual(generic(text.encode()), text, "what is generic stays")
        self.assertIn("test_export_jax.py", generic(forms["located"]))

    def test_places_name_the_file(self):
        function = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.tanh %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
        other = "func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n"
        with tempfile.TemporaryDirectory() as folder:
            program, written = pathlib.Path(folder, "program.mlir"), pathlib.Path(folder, "generic.mlir")
            command = [sys.executable, "-m", "ballast.export.generic", program, "-o", written]
            for text in ("module {\n" + function + "}\n", function, function + other):
                program.write_text(text)
                subprocess.run(command, check=True)
                line = text[:text.index("func")].count("\n") + 1
                for place in (f"{line}:1", f"{line + 1}:8"):
                    self.assertIn(f'loc("{program}":{place})', written.read_text())
                self.assertNotIn('"-"', written.read_text())
            # What a file says of its own places stays.
            program.write_text("module {\n" + function.replace("xf32>\n", 'xf32> loc("model.py":7:5)\n', 1) + "}\n")
            subprocess.run(command, check=True)
            self.assertIn('loc("model.py":7:5)', written.read_text())
            subprocess.run([*command, "--name", "given.mlir"], check=True)
            self.assertIn('loc("given.mlir":2:', written.read_text())

    def test_calls_in_the_body_of_a_reduction_are_taken_in(self):
        window = jax.jit(lambda x: jax.lax.reduce_window(x, 0.0, jnp.hypot, (2, 2), (1, 1), "SAME"))
        scatter = jax.jit(lambda x: x.at[jnp.array([0, 2])].apply(jax.nn.relu))
        for step in (window, scatter):
            text = generic(step.lower(jnp.ones((8, 8))).as_text().encode())
            self.assertIn('"func.call"', step.lower(jnp.ones((8, 8))).compiler_ir().operation.get_asm(print_generic_op_form=True))
            with tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder, "program.mlir")
                program.write_text(text)
                _programs.run("ballast-opt", [program, "--allow-unregistered-dialect", "--remat=time-limit=1", "-o", pathlib.Path(folder, "planned.mlir")])
            self.assertEqual(generic(text.encode()), text)

    def test_what_is_no_program_is_refused_in_words(self):
        for data in (b"junk", b"\xff\xfe\x00", b"ML\xefR\x00", b"", b" \n"):
            with self.assertRaises(ValueError):
                generic(data)


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
            (MobileNet(batch=1), 4_231_976),
            # BERT-base with a masked-word head instead of the pooler, without token types: 109 482 240 and 30 522 shifts, less 1536, plus 1536.
            (Bert(batch=1, sequence=512), 109_482_240 + 30_522),
            # ViT-B/16 with a mean over patches instead of a class token.
            (Vit(batch=1, layers=12, width=768, heads=12), 86_567_656 - 2 * 768),
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


    def test_layers_under_scan_are_those_written_out(self):
        """With the same parameters, stacked, the loss is the same; and so it is checkpointed by blocks."""
        losses = []
        for scanned in (0, 1):
            model = Vit(batch=2, image=16, patch=8, classes=4, layers=3, width=8, heads=2, percent_dropped=20, scanned=scanned)
            loss, shapes, batch = export_jax.model_loss(model, jnp.float32)
            values = {}
            for name, leaf in shapes.items():
                found = [f"layers{layer}{name[6:]}" for layer in range(3)] if name.startswith("layers/") else [name]
                drawn = [jax.random.normal(jax.random.key(hash_of(one)), leaf.shape[len(found) > 1 :]) for one in found]
                values[name] = jnp.stack(drawn) if len(found) > 1 else drawn[0]
            images = jax.random.normal(jax.random.key(1), batch[0].shape)
            labels = jnp.array([1, 3])
            key = jnp.array([0, 7], jnp.uint32)
            for policy in (None, jax.checkpoint_policies.nothing_saveable):
                with checkpointed(policy):
                    value, gradients = jax.value_and_grad(loss)(values, images, labels, key)
                losses.append(float(value))
                self.assertTrue(all(bool(jnp.isfinite(leaf).all()) for leaf in gradients.values()))
        for value in losses[1:]:
            self.assertAlmostEqual(value, losses[0], places=4)

    def test_every_model_of_sequences_and_pixels_exports(self):
        """Loops, repeats by blocks and both optimizers are in the text."""
        models = [
            (Decoder(batch=1, sequence=8, vocabulary=16, layers=2, width=8, heads=2), "stablehlo.while"),
            (Lstm(batch=1, sequence=4, vocabulary=8, layers=1, width=4), "stablehlo.while"),
            (Bert(batch=1, sequence=8, vocabulary=16, layers=2, width=8, heads=2), "stablehlo.dot_general"),
            (UNet(batch=1, image=32, width=4, levels=2), "stablehlo.select_and_scatter"),
            (MobileNet(batch=1, image=32, classes=4), "feature_group_count = 512"),
        ]
        for model, word in models:
            parts = export_jax.model_loss(model, jnp.bfloat16)
            plain = export_jax.export(*parts)
            self.assertIn(word, plain)
            self.assertNotIn("?x", plain)
            blocks = export_jax.export(*parts, blocks="nothing_saveable")
            self.assertGreater(blocks.count("optimization_barrier"), plain.count("optimization_barrier"))
            self.assertIn("stablehlo.sqrt", export_jax.export(*parts, optimizer="adamw"))


def hash_of(name):
    """A seed from a name."""
    return zlib.crc32(name.encode())


def perceptron():
    """A small loss, drawn parameters and a drawn batch."""
    loss, shapes, batch = export_jax.model_loss(Mlp(batch=8, features=16, width=32), jnp.float32)
    keys = iter(jax.random.split(jax.random.key(0), len(shapes) + 2))
    parameters = {name: 0.1 * jax.random.normal(next(keys), leaf.shape) for name, leaf in shapes.items()}
    return loss, parameters, jax.random.normal(next(keys), batch[0].shape), jax.random.randint(next(keys), batch[1].shape, 0, 10)


class StepTest(unittest.TestCase):
    """The step is the derivative it claims to be."""

    def test_repeated_steps_learn_one_batch(self):
        """A hundred steps on one batch more than halve the loss."""
        loss, parameters, x, labels = perceptron()
        step = jax.jit(export_jax.training_step(loss, 0.1))
        losses = []
        for _ in range(100):
            parameters, value = step(parameters, x, labels)
            losses.append(float(value))
        self.assertLess(losses[-1], losses[0] / 2)

    def test_adamw_learns_one_batch(self):
        """So does AdamW, with moments of its own."""
        loss, parameters, x, labels = perceptron()
        moments = {name: (jnp.zeros(leaf.shape), jnp.zeros(leaf.shape)) for name, leaf in parameters.items()}
        step = jax.jit(export_jax.adamw_step(loss, 0.01))
        number, losses = jnp.zeros(()), []
        for _ in range(50):
            parameters, moments, number, value = step(parameters, moments, number, x, labels)
            losses.append(float(value))
        self.assertLess(losses[-1], losses[0] / 2)
        self.assertEqual(float(number), 50)

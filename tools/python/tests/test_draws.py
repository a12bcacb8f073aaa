"""What programs that are compared are run on says something of every type."""

import json
import pathlib
import struct
import subprocess
import sys

import pytest

RUN = pathlib.Path(__file__).parents[2] / "xla" / "run.py"


@pytest.mark.parametrize(("element", "signs"), [("f8E8M0FNU", {1}), ("f4E2M1FN", {-1, 0, 1}), ("f32", {-1, 1})])
def test_numbers_of_every_type_are_drawn(tmp_path, element, signs):
    program, results = tmp_path / "program.mlir", tmp_path / "results"
    program.write_text(f"""func.func @main(%x: tensor<64x{element}>) -> tensor<64xf32> {{
  %0 = "stablehlo.convert"(%x) : (tensor<64x{element}>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}}""")
    done = subprocess.run([sys.executable, RUN, program, "--results", results], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["results"] == [{"element": "f32", "elements": 64}]
    drawn = struct.unpack("<64f", results.read_bytes())
    assert {(x > 0) - (x < 0) for x in drawn if x == x} == signs
    # Small ones, and none is NaN.
    assert all(abs(x) <= 2 for x in drawn)

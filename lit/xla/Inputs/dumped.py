"""Is what XLA writes into a folder the same as what a compiled program hands out?"""

import pathlib
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import jax  # noqa: E402
import run  # noqa: E402
import stored  # noqa: E402

text = pathlib.Path(sys.argv[2]).read_text()
compile_program = run.Compiler(jax.devices("cpu")[0], True)
with tempfile.TemporaryDirectory() as folder:
    compiled = compile_program(text, folder)
    written, own = stored.stored(compiled, folder), stored.stored(compiled)
print("steps", len(own["steps"]), "most", max(bytes for _, bytes in own["steps"]), "same", written == own)

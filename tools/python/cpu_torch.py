#!/usr/bin/env python3
"""Makes torch's wheel of the package index load without CUDA's libraries, for machines without an accelerator.

The wheel for x86-64 is the CUDA build, whose packages take 4.8 GB. Its CPU half needs two of them: the CUDA runtime and CUPTI, which
`libtorch_cpu.so` is linked against. The others need only be there when the program is loaded; stand-ins that hold the names torch looks for, and
end the program if one is ever called, do for that. Run it with the environment's Python, after

    pip install --no-deps torch==2.11.0 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85

It needs `nm` and `cc`, writes beside torch's own libraries, and does nothing where the real ones are installed.
"""

import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# By prefix of the functions, longest first where one begins with another.
LIBRARIES = {
    "cusparseLt": "libcusparseLt.so.0",
    "cusparse": "libcusparse.so.12",
    "cufft": "libcufft.so.12",
    "cuFile": "libcufile.so.0",
    "nccl": "libnccl.so.2",
    "curand": "libcurand.so.10",
    "cublasLt": "libcublasLt.so.13",
    "cublas": "libcublas.so.13",
    "cudnn": "libcudnn.so.9",
    "nvshmem": "libnvshmem_host.so.3",
}


def symbols(library, which):
    """Names in a library's dynamic table, with versions."""
    listing = subprocess.run(["nm", "-D", which, "--with-symbol-versions", library], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1].replace("@@", "@") for line in listing.splitlines() if line.strip()]


def wanted(torch_libraries):
    """Functions that torch's libraries look for in each library that is to be stood in for, with their versions."""
    found = {name: {} for name in LIBRARIES.values()}
    for library in torch_libraries:
        for symbol in symbols(library, "--undefined-only"):
            name, _, version = symbol.partition("@")
            for prefix, owner in LIBRARIES.items():
                if re.match(prefix + r"[A-Z_]|" + prefix + "mx?_", name) or (prefix == "nvshmem" and name.startswith(prefix)):
                    found[owner][name] = version
                    break
    return found


def stand_in(path, functions):
    """Compiles a library with these functions, each of which ends the program."""
    with tempfile.TemporaryDirectory() as folder:
        source, script = pathlib.Path(folder, "stand_in.c"), pathlib.Path(folder, "versions.map")
        source.write_text("extern void abort(void);\n" + "".join(f"void {name}(void) {{ abort(); }}\n" for name in sorted(functions)))
        command = ["cc", "-w", "-fno-builtin", "-shared", "-fPIC", f"-Wl,-soname,{path.name}", "-o", str(path), str(source)]
        versions = {}
        for name, version in sorted(functions.items()):
            versions.setdefault(version, []).append(name)
        if any(versions):
            script.write_text("".join(f"{version} {{ global: {'; '.join(names)}; }};\n" for version, names in versions.items() if version))
            command.append(f"-Wl,--version-script={script}")
        subprocess.run(command, check=True)


def main():
    """Stands in for what is missing."""
    found = importlib.util.find_spec("torch")
    if found is None or not found.submodule_search_locations:
        sys.exit("cpu_torch.py: error: torch is not installed in this environment")
    for program in ("nm", "cc"):
        if not shutil.which(program):
            sys.exit(f"cpu_torch.py: error: {program} is missing (Debian: package build-essential)")
    torch = pathlib.Path(next(iter(found.submodule_search_locations)))
    folder = torch / "lib"
    there = {path.name for path in (torch.parent / "nvidia").glob("*/lib/*.so*")} | {path.name for path in folder.iterdir()}
    for name, functions in wanted(sorted(folder.glob("libtorch*.so"))).items():
        if name not in there:
            stand_in(folder / name, functions)
            print(f"stand-in for {name}: {len(functions)} names")


if __name__ == "__main__":
    main()

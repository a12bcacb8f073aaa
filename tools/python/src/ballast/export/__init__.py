"""From a framework to a file that Ballast reads: `python -m ballast.export.jax` and `python -m ballast.export.torch` (docs/exporting.md)."""

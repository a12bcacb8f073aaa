"""Reads what `ballast run --backend xla --json` wrote for a plan that counts temporaries: are they what the plan says?"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    comparison = json.load(file)
measured = comparison["rewritten"]["temporary_bytes"]
planned = comparison["plan"]["peak_bytes"]
before = comparison["original"]["temporary_bytes"]
print(f"{before} bytes of temporaries before, {planned} planned, {measured} measured")
# XLA's heap has gaps, and its scheduler is free where no barrier is.
close = planned < before and abs(measured - planned) <= measured / 10
print("planned to a tenth" if close else "NOT planned to a tenth")

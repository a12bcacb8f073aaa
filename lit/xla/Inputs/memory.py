"""Reads what `ballast run --backend xla --json` wrote for a plan that counts temporaries: are they what the plan says?"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    comparison = json.load(file)
measured = comparison["rewritten"]["temporary_bytes"]
planned = comparison["plan"]["peak_bytes"]
before = comparison["original"]["temporary_bytes"]
print(f"{before} bytes of temporaries before, {planned} planned, {measured} measured")
# Plans leave room for the gaps of XLA's heap, several times the largest value in a small program, and count nothing in the buffers of
# results that a plan might keep longer.
kept = planned < before and 0.6 * planned <= measured <= planned
print("within the plan" if kept else "NOT within the plan")

"""Reads what `ballast run --backend xla --json` wrote for a plan that counts temporaries: did they stay within the plan?"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    comparison = json.load(file)
measured = comparison["rewritten"]["temporary_bytes"]
planned = comparison["plan"]["peak_bytes"]
before = comparison["original"]["temporary_bytes"]
print(f"{before} bytes of temporaries before, {planned} planned, {measured} measured")
print("within the plan" if measured <= planned < before else "NOT within the plan")

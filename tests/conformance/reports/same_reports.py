# SPDX-License-Identifier: Apache-2.0
"""Compares json reports but for their times: same_reports.py REPORT REPORT...; exit status 1 if any differ."""
import json
import sys


def without_times(path):
    report = json.load(open(path))
    for run in report["runs"]:
        del run["time"]
    return report


first, *others = sys.argv[1:]
expected = without_times(first)
different = [path for path in others if without_times(path) != expected]
for path in different:
    print(f"{path} differs from {first}")
sys.exit(1 if different else 0)

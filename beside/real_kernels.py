#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges attention of other people's libraries, and holds what comes out against what is expected (docs/real_kernels.md).

    build/peers-venv/bin/python beside/real_kernels.py [--suite=smoke] [PATTERN...]    only kernels whose name has a pattern

Ends with 1 if a failure has no fault in kernels.toml, if a fault does not show any more, or if a program of faults/ does not
reproduce it. The table goes to build/real_kernels.md. At night as many kernels as there is time for (tests/night/sample.py).
"""
import argparse
import collections
import fnmatch
import os
import shlex
import sys
import time
import tomllib

from judged import HERE, ROOT, judged

sys.path.insert(0, os.path.join(ROOT, "tests/night"))
from sample import Sample

ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(os.path.join(ROOT, "build/beside", folder) for folder in ("common", "kernels")),
               "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1"}


def shows_here(fault):
    """Whether this processor has what a fault needs."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return fault.get("processor", "") in next((line for line in file if line.startswith("flags")), "")


def rows(patterns):
    """Each kernel of kernels.toml in each of its formats, with the faults that it has there."""
    with open(os.path.join(HERE, "kernels.toml"), "rb") as file:
        kernels = tomllib.load(file)["kernel"]
    for kernel in kernels:
        for dtype in kernel["dtypes"]:
            name = f"{kernel['library']} {kernel['variant']} {dtype}"
            if not patterns or any(pattern in name for pattern in patterns):
                faults = [fault for fault in kernel.get("fault", [])
                          if dtype in fault.get("dtypes", kernel["dtypes"]) and shows_here(fault)]
                yield name, kernel, dtype, faults


def result_of(kernel, dtype, suite, run):
    # Which problems are drawn depends on this line: it is the same wherever the repository lies.
    program = [os.path.relpath(sys.executable), "beside/kernel.py", kernel["library"], f"--variant={kernel['variant']}",
               f"--dtype={dtype}"]
    arguments = [f"--program={shlex.join(program)}", f"--dtype={dtype}"]
    asked = f"{kernel['problems']} dtype={dtype}" if "problems" in kernel else f"--suite={suite}"
    return judged(asked, arguments, ENVIRONMENT, run)


def failures_of(result):
    """`property: reason` -> its cases."""
    failures = collections.defaultdict(list)
    for case in result.cases:
        if case["outcome"] == "failed":
            failures[f"{case['property']}: {case['reason']}"].append(case)
    return failures


def explains(fault, failure):
    return any(fnmatch.fnmatchcase(failure, pattern) for pattern in fault["fails"])


def surprises(result, faults, suite):
    if result.unchecked:
        return [f"unchecked: {result.unchecked}"]
    failures = failures_of(result)
    lines = []
    for failure, cases in failures.items():
        if not any(explains(fault, failure) for fault in faults):
            lines.append(f"{failure}, {len(cases)} cases: '{cases[0]['problem']}' {cases[0]['evidence']}")
    for fault in faults:
        must_show = fault["fails"] and suite in fault.get("suites", [suite])
        if must_show and not any(explains(fault, failure) for failure in failures):
            lines.append(f"does not show any more: {fault['what']}")
    return lines


def not_reproduced(faults, run):
    """Faults whose program, without attestone, does not show them."""
    for fault in faults:
        if "repro" in fault:
            command = [sys.executable, os.path.join(HERE, "faults", fault["repro"])]
            done = run(command, text=True, env={**os.environ, **ENVIRONMENT})
            if done.returncode != 0:
                yield f"{fault['repro']}: {(done.stdout + done.stderr).strip()[-300:]}"


def row(name, result, faults, lines, seconds):
    counts = collections.Counter(case["outcome"] for case in result.cases)
    outcome = "; ".join(fault["what"] for fault in faults) or "conforms"
    agreement = "as recorded" if not lines else "SURPRISE: " + "<br>".join(lines)
    return (f"| {name} | {len(result.outcomes)} | {counts['passed']} | {counts['failed']} | {outcome} | {agreement} | "
            f"{seconds:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default="smoke")
    parser.add_argument("patterns", nargs="*")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    asked = {}
    for name, *rest in rows(arguments.patterns):
        if asked.setdefault(name, rest) is not rest:
            sys.exit(f"kernels.toml has {name} twice")
    sample = Sample("kernels", asked)

    def judge(name):
        begin, (kernel, dtype, faults) = time.monotonic(), asked[name]
        result = result_of(kernel, dtype, arguments.suite, sample.run)
        lines = surprises(result, faults, arguments.suite) + list(not_reproduced(faults, sample.run))
        return row(name, result, faults, lines, time.monotonic() - begin), lines

    table = ["| kernel | problems | passed | failed | outcome | | seconds |", "|---|---|---|---|---|---|---|"]
    for name, (text, lines) in sample.each(judge):
        table.append(text)
        print("\n".join([f"{name}: {'another outcome than' if lines else 'as'} recorded", *lines]), flush=True)
        if lines:
            sample.complaints.append(name)
    with open(os.path.join(ROOT, "build/real_kernels.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(table) + "\n")
    print("\n".join(table))
    return sample.status()


if __name__ == "__main__":
    sys.exit(main())

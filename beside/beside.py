#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs other people's distributed attention beside ours, and holds what comes out against what is expected (docs/beside.md).

    build/peers-venv/bin/python beside/beside.py [PATTERN...]       only systems whose name has one of the patterns

Ends with 1 if an outcome is another one than systems.toml records. The table goes to build/beside.md. At night as many as
there is time for (tests/night/sample.py).
"""
import importlib
import importlib.metadata
import os
import sys
import time
import tomllib

from compare import wrong_alike
from judged import HERE, ROOT, judged, ours, theirs

sys.path.insert(0, os.path.join(ROOT, "tests/night"))
from sample import Sample


def name(system):
    """`diffusers 0.42.1 flash on ring:2`."""
    package = importlib.import_module(f"systems.{system['program']}").PACKAGE
    folders = [os.path.join(ROOT, "build/beside", system["packages"]), *sys.path]
    versions = [found.version for found in importlib.metadata.distributions(name=package, path=folders)]
    return f"{package} {versions[0] if versions else '(not installed)'} {system['variant']} on {system['mesh']}"


def expected(system, problems):
    """The recorded outcome of each problem: conforms, but where a fault names it."""
    record = dict.fromkeys(problems, "conforms")
    for fault in system.get("fault", []):
        for problem in fault["problems"]:
            record[problem] = fault["outcome"]
    return record


def surprises(system, result):
    """What came out otherwise than it is recorded, a line each."""
    if result.unchecked:
        return [f"unchecked: {result.unchecked}"]
    record = expected(system, result.outcomes)
    lines = [f"{problem}: {record[problem]} was expected, {result.outcomes.get(problem, 'did not run')} "
             f"{result.evidence(problem)}" for problem in record if record[problem] != result.outcomes.get(problem)]
    lines += [f"refuses: {text}" for text in result.refusals]
    return lines + ([f"{result.left_out} problems were left out"] if result.left_out else [])


def surprises_of_ours(result):
    if result.unchecked:
        return [f"ours: {result.unchecked}"]
    return [f"ours: {problem}: {outcome} {result.evidence(problem)}"
            for problem, outcome in result.outcomes.items() if outcome != "conforms"]


def surprises_of_mutants(system, result, run):
    """Whether the mutants that are said to be wrong in the same way are."""
    lines = []
    for fault in system.get("fault", []):
        if "mutant" in fault:
            mutant = judged(system["problems"], [f"--kernel={fault['mutant']}", "--property=gradient_bound"], run=run)
            if text := wrong_alike(result, mutant):
                lines.append(f"{fault['mutant']}: {text}")
    return lines


def row(system, result, lines, seconds):
    outcomes = list(result.outcomes.values())
    agrees = outcomes.count("conforms")
    faults = "; ".join(f"{fault['whose']}: {fault['what']}" + (f" (as `{fault['mutant']}`)" if "mutant" in fault else "")
                       for fault in system.get("fault", []))
    counts = f"unchecked: {result.unchecked}" if result.unchecked else f"{agrees} agree, {len(outcomes) - agrees} fail"
    return (f"| {name(system)} | `{system['ours']}` | {counts} | {faults} | "
            f"{'as recorded' if not lines else 'SURPRISE: ' + '<br>'.join(lines)} | {seconds:.0f} |")


def main(patterns):
    with open(os.path.join(HERE, "systems.toml"), "rb") as file:
        systems = tomllib.load(file)["system"]
    asked = {name(system): system for system in systems}
    if len(asked) < len(systems):
        sys.exit("systems.toml has two systems of one name; or packages are not installed")
    sample = Sample("systems", [one for one in asked if not patterns or any(pattern in one for pattern in patterns)])

    def judge(one):
        begin, system = time.monotonic(), asked[one]
        result = theirs(system, sample.run)
        lines = surprises(system, result) + surprises_of_mutants(system, result, sample.run)
        lines += surprises_of_ours(ours(system, sample.run))
        return row(system, result, lines, time.monotonic() - begin), lines

    table = ["| system | ours | problems | whose fault | outcome | seconds |", "|---|---|---|---|---|---|"]
    for one, (text, lines) in sample.each(judge):
        table.append(text)
        print("\n".join([f"{one}: {'another outcome than' if lines else 'as'} recorded", *lines]), flush=True)
        if lines:
            sample.complaints.append(one)
    with open(os.path.join(ROOT, "build/beside.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(table) + "\n")
    print("\n".join(table))
    return sample.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

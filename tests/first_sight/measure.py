# SPDX-License-Identifier: Apache-2.0
"""How many wrong kernels a suite sees at first sight.

    python3 tests/first_sight/measure.py build/release/attestone --suite=smoke
    python3 tests/first_sight/measure.py build/release/attestone --asked
    python3 tests/first_sight/measure.py build/release/attestone --named
    python3 tests/first_sight/measure.py build/release/attestone --suite=smoke --relations
    python3 tests/first_sight/measure.py build/release/attestone --batch=FOLDER

Judges the mutants that once were strangers (those with a `.batch`), or a batch that still is one: every kernel of
FOLDER/kernels/ is compiled with FOLDER/hosts/ into a library in build/first_sight/. --asked judges each by the one
problem that is known to show its fault: that of the mutant, or the kernel's line of FOLDER/triggers.txt. --named does so
too, and prints what the report says of the fault: the wrong variant, the pattern of wrong elements, when it fails, and the
kind. --relations leaves out all properties but relations, and so shows what these see when they take turns. Prints what
was seen and by which property, what was not, and the rate; right_* must conform. Exit status 1 if one of those does not.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Kernel(NamedTuple):
    batch: str
    name: str
    chosen: str  # the option that names it
    problem: str | None  # that shows its fault

    @property
    def is_right(self):
        return self.name.startswith("right_")


def mutants():
    for path in sorted((ROOT / "mutants").rglob("*.cpp")):
        _, *entries = re.split(r'\.name = (?=")', path.read_text())
        for entry in entries:
            batch = written(entry, r"\.batch =")
            if batch:
                name = written(entry, "")
                yield Kernel(batch, name, f"--kernel={name}", written(entry, r"\.problem ="))


def written(entry, field):
    """The text of a field of a registration; None if it has none."""
    found = re.search(rf'{field}((?:\s*"[^"]*")+)', entry)
    return "".join(re.findall(r'"([^"]*)"', found[1])) if found else None


def library_of(kernel):
    """The library of one kernel of a batch, compiled again if a source is newer."""
    batch = kernel.parent.parent
    library = ROOT / "build" / "first_sight" / batch.name / f"{kernel.stem}.so"
    hosts = sorted((batch / "hosts").glob("*.[ch]pp"))
    if library.exists() and all(library.stat().st_mtime > s.stat().st_mtime for s in [kernel, *hosts]):
        return library
    library.parent.mkdir(parents=True, exist_ok=True)
    sources = [kernel, *[host for host in hosts if host.suffix == ".cpp"]]
    subprocess.run(
        ["g++", "-std=c++20", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-pthread", f"-I{ROOT}", f"-I{batch}/hosts"]
        + [f'-DKERNEL_NAME="{kernel.stem}"', "-o", library, *sources], check=True)
    return library


def strangers(batch, jobs):
    known = {}
    for line in (batch / "triggers.txt").read_text().splitlines():
        if not line.startswith("#"):
            kernel, problem = line.split(" ", 1)
            known[kernel] = problem
    kernels = sorted((batch / "kernels").glob("*.cpp"))
    with ThreadPoolExecutor(jobs) as pool:
        libraries = pool.map(library_of, kernels)
        return [Kernel(batch.name, kernel.stem, f"--plugin={library}", known.get(kernel.stem))
                for kernel, library in zip(kernels, libraries)]


def judged(attestone, kernel, *question):
    """The report of one kernel."""
    command = [attestone, "run", kernel.chosen, "--format=json", *question]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 6):
        raise RuntimeError(f"{kernel.name}: exit status {done.returncode}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)["runs"][0]


def without_bounds(attestone):
    """The option that leaves out all properties but relations."""
    listed = subprocess.run([attestone, "list", "properties"], capture_output=True, text=True, check=True)
    relations = {path.stem for path in (ROOT / "conformance" / "relations").glob("*.cpp")}
    others = [line.split()[0] for line in listed.stdout.splitlines() if line.split()[0] not in relations]
    return f"--except-property={','.join(others)}"


def first_failure(attestone, kernel, *question):
    """The property that fails first, None if all conform."""
    causes = judged(attestone, kernel, "--fail-fast", "--no-shrink", *question)["causes"]
    return causes[0]["failure"] if causes else None


def names(attestone, kernel):
    """What a report says of the fault, line by line, and the calls that it took."""
    run = judged(attestone, kernel, "--fail-fast", "--budget=30s", kernel.problem)
    lines = [f"variant  {finding['variant']}" for finding in run["findings"]]
    if run["would_pass"] and run["would_pass"]["declares"]:
        lines.append(f"declares {run['would_pass']['declares']}")
    calls = 0
    for told in (failure["circumstances"] for failure in run["failures"] if "circumstances" in failure):
        calls = told["calls"]
        lines += [f"pattern  {told['pattern']}"] if told["pattern"] else []
        lines += [f"with     {' and '.join(told['only_with'])}"] if told["only_with"] else []
        lines += [f"if       {' and '.join(told['only_if'])}"] if told["only_if"] else []
        lines += [f"kind     {kind['kind']}" for kind in told["kinds"]]
    return lines, calls


def print_names(attestone, kernels):
    """What is said of every kernel, and of how many anything is."""
    named = {}
    for kernel in kernels:
        lines, calls = names(attestone, kernel)
        print(f"{kernel.batch}  {kernel.name}  ({calls} further calls)", flush=True)
        for line in lines:
            print(f"    {line}", flush=True)
        for word in {line.split()[0] for line in lines}:
            named[word] = named.get(word, 0) + 1
        place_or_cause = any(line.split()[0] in ("variant", "declares", "pattern", "if", "kind") for line in lines)
        named["named by cause or place"] = named.get("named by cause or place", 0) + place_or_cause
    for word, count in sorted(named.items()):
        print(f"{count} of {len(kernels)}: {word}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attestone")
    parser.add_argument("--suite", default="smoke")
    parser.add_argument("--asked", action="store_true", help="ask about the problem that shows the fault")
    parser.add_argument("--named", action="store_true", help="ask so, and print what is said of the fault")
    parser.add_argument("--relations", action="store_true", help="leave out all properties but relations")
    parser.add_argument("--batch", type=pathlib.Path, help="a folder of kernels that are no mutants yet")
    parser.add_argument("--only", default="", help="kernels whose name contains this, as third/right")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at the same time")
    options = parser.parse_args()
    known = strangers(options.batch.resolve(), options.jobs) if options.batch else list(mutants())
    kernels = [kernel for kernel in known if options.only in f"{kernel.batch}/{kernel.name}"]
    if options.asked or options.named:
        kernels = [kernel for kernel in kernels if kernel.problem]
    if options.named:
        print_names(options.attestone, [kernel for kernel in kernels if not kernel.is_right])
        return
    properties = [without_bounds(options.attestone)] if options.relations else []
    seen, accused = 0, 0
    for kernel in kernels:
        question = kernel.problem if options.asked else f"--suite={options.suite}"
        failed = first_failure(options.attestone, kernel, question, *properties)
        if kernel.is_right:
            accused += failed is not None
        else:
            seen += failed is not None
        print(f"{kernel.batch:12}  {kernel.name:52} {failed or '-'}", flush=True)
    wrong = sum(not kernel.is_right for kernel in kernels)
    print(f"{seen} of {wrong} wrong kernels seen, {accused} right ones accused")
    sys.exit(accused > 0)


if __name__ == "__main__":
    main()

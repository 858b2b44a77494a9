# SPDX-License-Identifier: Apache-2.0
"""How many wrong kernels a suite sees at first sight.

    python3 tests/first_sight/measure.py build/release/attestone --suite=smoke
    python3 tests/first_sight/measure.py build/release/attestone --asked
    python3 tests/first_sight/measure.py build/release/attestone --named

Compiles every kernel of the batches into build/first_sight/ and judges it. --asked judges each by the one problem that is
known to show its fault (triggers.txt); --named does so too, and prints what the report says of the fault: the wrong variant,
the pattern of wrong elements, when it fails, and the kind. Prints what was seen and by which property, what was not, and
the rate; right_* must conform. Exit status 1 if one of those does not.
"""

import argparse
import json
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def library_of(kernel):
    """The library of one kernel, compiled again if a source is newer."""
    batch = kernel.parent.parent
    library = ROOT / "build" / "first_sight" / batch.name / f"{kernel.stem}.so"
    hosts = sorted((batch / "hosts").iterdir())
    if library.exists() and all(library.stat().st_mtime > s.stat().st_mtime for s in [kernel, *hosts]):
        return library
    library.parent.mkdir(parents=True, exist_ok=True)
    sources = [kernel, *[host for host in hosts if host.suffix == ".cpp"]]
    subprocess.run(
        ["g++", "-std=c++20", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-pthread", f"-I{ROOT}"]
        + [f'-DKERNEL_NAME="{kernel.stem}"', "-o", library, *sources], check=True)
    return library


def triggers():
    known = {}
    for path in HERE.glob("batch_*/triggers.txt"):
        for line in path.read_text().splitlines():
            if not line.startswith("#"):
                kernel, problem = line.split(" ", 1)
                known[kernel] = problem
    return known


def judged(attestone, library, question):
    """The report of one kernel."""
    command = [attestone, "run", f"--plugin={library}", "--format=json", *question]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 6):
        raise RuntimeError(f"{library.stem}: exit status {done.returncode}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)["runs"][0]


def first_failure(attestone, library, question):
    """The property that fails first, None if all conform."""
    causes = judged(attestone, library, ["--fail-fast", "--no-shrink", *question])["causes"]
    return causes[0]["failure"] if causes else None


def names(attestone, library, question):
    """What a report says of the fault, line by line, and the calls that it took."""
    run = judged(attestone, library, ["--fail-fast", "--budget=30s", *question])
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


def print_names(attestone, kernels, libraries, known, jobs):
    """What is said of every kernel, and of how many anything is."""
    named = {}
    with ThreadPoolExecutor(jobs) as pool:
        told = pool.map(lambda pair: names(attestone, pair[1], [known[pair[0].stem]]), zip(kernels, libraries))
        for kernel, (lines, calls) in zip(kernels, told):
            print(f"{kernel.parent.parent.name}  {kernel.stem}  ({calls} further calls)", flush=True)
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
    parser.add_argument("--only", default="", help="kernels whose name contains this, as batch_3/right")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    kernels = [kernel for kernel in sorted(HERE.glob("batch_*/kernels/*.cpp"))
               if options.only in f"{kernel.parent.parent.name}/{kernel.stem}"]
    known = triggers()
    if options.asked or options.named:
        kernels = [kernel for kernel in kernels if kernel.stem in known]
    with ThreadPoolExecutor(options.jobs) as pool:
        libraries = list(pool.map(library_of, kernels))
    if options.named:
        print_names(options.attestone, kernels, libraries, known, options.jobs)
        return
    seen, accused, wrong = 0, 0, 0
    for kernel, library in zip(kernels, libraries):
        question = [known[kernel.stem]] if options.asked else [f"--suite={options.suite}"]
        failed = first_failure(options.attestone, library, question)
        if kernel.stem.startswith("right_"):
            accused += failed is not None
        else:
            wrong += 1
            seen += failed is not None
        print(f"{kernel.parent.parent.name}  {kernel.stem:52} {failed or '-'}", flush=True)
    print(f"{seen} of {wrong} wrong kernels seen, {accused} right ones accused")
    sys.exit(accused > 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and tests what a change can reach: the rooms that it touches, and those that include them.

    check.py BUILD JOBS [REV]     the change is git diff REV (default HEAD), and the files that git does not know yet

A changed .cpp counts with its header. Every source that includes a changed header, directly or through others, is
reached. Tests run that are reached themselves, or that mirror a reached room (tests/backends/cpu/flash/ mirrors
backends/cpu/flash/) or a room around a changed file (tests/backends/ holds tests of all kernels).
Slow tests are left to ./run test. Ends with "N of M tests ran".
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/layers"))
from marks import tests  # noqa: E402
from tree import LAYERS, sources, users  # noqa: E402

PROGRAMS = ("reference", "backends", "masks", "extensions", "simulate", "mutants", "conformance", "docs")
# What tests read that is no source, and the folder of those tests.
READ_BY = (("docs/", "tests/docs"), ("examples/", "tests/conformance/program"),
           ("tests/hostile", "tests/conformance/hostile"),
           ("tests/plugins/", "tests/backends/plugins"), ("tests/rank_programs/", "tests/backends/distributed"),
           ("conformance/problems/suites/", "tests/conformance/problems"))
DECIDES_ALL = re.compile(r"(.*/)?CMakeLists\.txt|CMakePresets\.json|cmake/.*")


def reached(tree, changed):
    """Every source that the change can reach."""
    included = users(tree)
    stems = {tree[path].stem for path in changed if path in tree}
    waiting = {path for path in changed if path in tree} | {path for path in tree if tree[path].stem in stems}
    found = set()
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= {user for user in included.get(path, ()) if user in tree} - found
    return found


def test_files(tree, changed):
    """The sources of tests that the change can reach, and the changed files of which no test is known."""
    every = [path for path in tree if path.endswith(".cpp") and path.split("/")[0] == "tests"
             and path.split("/")[1] in PROGRAMS]
    if any(map(DECIDES_ALL.fullmatch, changed)):
        return set(every), []
    found = reached(tree, changed)
    rooms = {f"tests/{tree[path].folder}" for path in found if tree[path].in_a_layer}
    rooms |= {tree[path].folder for path in found if path.startswith("tests/")}
    rooms |= {f"tests/{around}" for path in changed if path in tree and tree[path].in_a_layer
              for around in pathlib.PurePosixPath(path).parents}
    read = {folder for path in changed for begin, folder in READ_BY if path.startswith(begin)}
    chosen = {path for path in every if path in found or tree[path].folder in rooms
              or any(path.startswith(folder + "/") for folder in read)}
    unknown = [path for path in changed
               if path not in tree and not any(path.startswith(begin) for begin, _ in READ_BY)]
    return chosen, unknown


def suites(tree, paths):
    return {suite for path in paths for _, suite, _, _ in tests(path, "\n".join(tree[path].lines))}


def is_chosen(name, labels, chosen):
    """Tests of the chosen suites that are not slow; and those of style, apart from the one that formats everything."""
    if "style" in labels:
        return not name.startswith("Format.")
    words = re.split(r"[/.]", name.split(".")[0])
    return "slow" not in labels and not chosen.isdisjoint(words)


def listed(build):
    """(number, name, labels) of every test of a build, as ctest counts them."""
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=False, capture_output=True,
                          text=True)
    if done.returncode:  # a program of tests cannot name them
        sys.exit(done.stderr)
    for number, test in enumerate(json.loads(done.stdout)["tests"], 1):
        labels = [label for one in test.get("properties", ()) if one["name"] == "LABELS" for label in one["value"]]
        yield number, test["name"], labels


def changed_files(rev):
    def git(*words):
        done = subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True)
        return done.stdout.split("\0")[:-1]
    return sorted({*git("diff", "-z", "--name-only", rev), *git("ls-files", "-z", "--others", "--exclude-standard")})


def main(build, jobs, rev="HEAD"):
    tree, changed = sources(ROOT), changed_files(rev)
    paths, unknown = test_files(tree, changed)
    found = reached(tree, changed)
    rooms = {tree[path].folder for path in found if tree[path].top in LAYERS}
    print(f"{len(changed)} changed files reach {len(found)} of {len(tree)} sources in {len(rooms)} rooms, and "
          f"{len(paths)} files of tests", flush=True)
    for path in unknown:
        print(f"no test is known to read {path}")
    targets = sorted({f"{path.split('/')[1]}_tests" for path in paths} | {"layers_tests"})
    subprocess.run(["cmake", "--build", build, "-j", jobs, "--target", *targets], check=True)
    every = list(listed(build))
    chosen_suites = suites(tree, paths)
    chosen = [number for number, name, labels in every if is_chosen(name, labels, chosen_suites)]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as numbers:
        numbers.write("0,0,0," + ",".join(map(str, chosen)))
        numbers.flush()
        done = subprocess.run(["ctest", "--test-dir", build, "-j", jobs, "--output-on-failure", "--no-tests=error",
                               "-I", numbers.name], check=False)
    absent = [name for _, name, _ in every if name.endswith("_NOT_BUILT")]
    print(f"{len(chosen)} of {len(every) - len(absent)} tests ran"
          + (f"; {', '.join(name.removesuffix('_NOT_BUILT') for name in absent)} not built" if absent else ""))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

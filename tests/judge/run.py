# SPDX-License-Identifier: Apache-2.0
"""Mutates the judge itself, one term of mutants.txt at a time, and asks whether the test named there sees it.

    python tests/judge/run.py BUILD [--check] [--jobs N] [--only TEXT]

BUILD is a built release tree with its compile_commands.json. A changed file is compiled apart, with what includes it,
and linked into a library of its own, which the loader puts before the real one: neither sources nor build change.
Prints a Markdown table; exit status 1 if a mutant lives that is not argued for. --check only asks whether mutants.txt
still says what the sources say.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 900


class Mutant:
    """One paragraph of mutants.txt: file, before, after, and the tests that see it or why none can."""

    def __init__(self, paragraph):
        fields = dict(line.split(None, 1) for line in paragraph.splitlines())
        self.file, self.before, self.after = fields["file"], fields["before"], fields["after"]
        self.seen = [test.split(":", 1) for test in fields.get("seen", "").split()]
        self.argued = fields.get("argued")
        if bool(self.seen) == bool(self.argued):
            sys.exit(f"{self}: needs either the tests that see it or an argument that none can")

    def __str__(self):
        return f"{self.file}: {self.before} -> {self.after}"

    def text(self):
        """The changed file. The place must be one place."""
        text = (ROOT / self.file).read_text()
        if text.count(self.before) != 1:
            sys.exit(f"{self}: stands {text.count(self.before)} times in the file, must be once")
        return text.replace(self.before, self.after)


def read_mutants(only):
    text = pathlib.Path(__file__).with_name("mutants.txt").read_text()
    paragraphs = [p for p in text.split("\n\n") if p.strip() and not p.lstrip().startswith("#")]
    return [m for m in map(Mutant, paragraphs) if only in str(m)]


class Build:
    """What the real build knows: how an object is compiled, what it includes, how the library is linked."""

    def __init__(self, folder):
        self.folder = folder
        commands = json.loads((folder / "compile_commands.json").read_text())
        words = [shlex.split(entry["command"]) for entry in commands]
        self.compile = {command[command.index("-o") + 1]: command for command in words}
        links = self.ask("-t", "commands", "libattestone.so").splitlines()
        self.link = shlex.split(next(line for line in links if " -shared " in line).split("&&")[1])
        self.includes = {}
        for line in self.ask("-t", "deps").splitlines():
            if line and not line.startswith(" "):
                self.includes[line.split(":")[0]] = current = set()
            elif line.strip():
                current.add((folder / line.strip()).resolve())

    def ask(self, *question):
        return subprocess.run(["ninja", "-C", self.folder, "--quiet", *question], check=True, capture_output=True, text=True).stdout

    def objects_with(self, file):
        linked = set(self.link)
        return [o for o, files in self.includes.items() if o in linked and (ROOT / file).resolve() in files]

    def library(self, mutant, scratch):
        """The library with the mutant, in the folder `scratch`."""
        changed = scratch / mutant.file
        changed.parent.mkdir(parents=True)
        changed.write_text(mutant.text())
        link = list(self.link)
        for number, object_file in enumerate(self.objects_with(mutant.file)):
            command = [str(changed) if word == str(ROOT / mutant.file) else word for word in self.compile[object_file]]
            command[command.index("-o") + 1] = link[link.index(object_file)] = str(scratch / f"{number}.o")
            command.insert(1 + (command[0].endswith("ccache")), f"-I{scratch}")
            # What a mutant no longer uses is no mistake; and little is lost by optimising less.
            subprocess.run([*command, "-w", "-O1"], cwd=self.folder, check=True, capture_output=True)
        link[link.index("-o") + 1] = str(scratch / "libattestone.so")
        subprocess.run(link, cwd=self.folder, check=True, capture_output=True)
        return scratch / "libattestone.so"


def sees(build, program, test, environment):
    """Whether the test fails, or does not end. A program that cannot even be started sees nothing."""
    command = [build.folder / "tests" / program, f"--gtest_filter={test}", "--gtest_fail_fast", "--gtest_brief"]
    try:
        run = subprocess.run(command, env=environment, capture_output=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return True
    return run.returncode < 0 or (run.returncode > 0 and b"FAILED" in run.stdout)


def killer(build, mutant):
    """The first of the mutant's tests that sees it, or why there is none."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            library = build.library(mutant, pathlib.Path(scratch))
        except subprocess.CalledProcessError as error:
            print(error.stderr.decode(), file=sys.stderr)
            return False, "**does not compile**"
        environment = os.environ | {"LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1", "ATTESTONE_SEED": "1"}
        for program, test in mutant.seen:
            if sees(build, program, test, environment):
                return True, f"{program} {test}"
    return False, "**nothing**"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    mutants = read_mutants(given.only)
    for mutant in mutants:
        mutant.text()
    if given.check:
        return 0
    build = Build(given.build.resolve())
    asked = [mutant for mutant in mutants if mutant.seen]
    alive = 0
    print("| mutant of the judge | seen by |\n|---|---|")
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for mutant, (seen, by) in zip(asked, pool.map(lambda mutant: killer(build, mutant), asked)):
            alive += not seen
            print(f"| `{mutant}` | {by} |", flush=True)
    for mutant in mutants:
        if mutant.argued:
            print(f"| `{mutant}` | {mutant.argued} |")
    print(f"\n{len(asked) - alive} of {len(mutants)} seen, {len(mutants) - len(asked)} argued, {alive} alive")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())

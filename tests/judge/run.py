# SPDX-License-Identifier: Apache-2.0
"""Mutates the judge itself, one term at a time, and asks whether the test named for it sees it.

    python tests/judge/run.py BUILD [--jobs N] [--only TEXT] [--sample N] [--seed S]
    python tests/judge/run.py --check

BUILD is a built tree with its compile_commands.json, each file compiled alone (preset clang). The tables beside this
file hold the mutants, one per paragraph: the file, the text to change, the text that replaces it, and the tests that
see the change, or why none can. A changed file is compiled apart, together with the files that include it, and linked
into a library of its own, which the loader puts before the real one: neither sources nor build change. A test that
compiles the changed header itself is compiled again too.

Prints a Markdown table; exit status 1 if a mutant lives that is not argued for. --sample asks N mutants, drawn by the
seed; so do the limits that the night sets in the environment (tests/night/sample.py). --check only asks whether the
tables still say what the sources say.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/night"))
from sample import Sample

TABLES = pathlib.Path(__file__).parent
FIELDS = (["file", "before", "after", "seen"], ["file", "before", "after", "argued"])
LIMIT_S = 900


class Mutant:
    """One paragraph of a table: file, before, after, and the tests that see it or an argument that none can."""

    def __init__(self, table, paragraph):
        lines = [line.split(None, 1) for line in paragraph.splitlines()]
        if [line[0] for line in lines] not in FIELDS or any(len(line) < 2 for line in lines):
            sys.exit(f"{table.name}: a paragraph is file, before, after, and seen or argued, not\n{paragraph}")
        fields = dict(lines)
        self.file, self.before, self.after = fields["file"], fields["before"], fields["after"]
        self.seen = [test.split(":", 1) for test in fields.get("seen", "").split()]
        self.argued = fields.get("argued")

    def __str__(self):
        return f"{self.file}: {self.before} -> {self.after}"

    def text(self):
        """The changed file. The place must be one place."""
        text = (ROOT / self.file).read_text()
        if text.count(self.before) != 1:
            sys.exit(f"{self}: stands {text.count(self.before)} times in the file, must be once")
        return text.replace(self.before, self.after)


def read_mutants(only):
    mutants = []
    for path in sorted(TABLES.glob("*.txt")):
        mutants += [Mutant(path, paragraph.strip()) for paragraph in path.read_text().split("\n\n")]
    mutants = [mutant for mutant in mutants if only in str(mutant)]
    return mutants or sys.exit("no mutants")


class Build:
    """What the real build knows: how an object is compiled, what it includes, how libraries and programs are linked."""

    def __init__(self, folder):
        self.folder = folder
        commands = json.loads((folder / "compile_commands.json").read_text())
        words = [shlex.split(entry["command"]) for entry in commands]
        self.compile = {command[command.index("-o") + 1]: command for command in words}
        self.links = {}
        self.includes = {}
        for line in self.ask("-t", "deps").splitlines():
            if line and not line.startswith(" "):
                self.includes[line.split(":")[0]] = current = set()
            elif line.strip():
                current.add((folder / line.strip()).resolve())

    def ask(self, *question):
        command = ["ninja", "-C", self.folder, "--quiet", *question]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def link(self, target):
        """The words of the command that links a target."""
        if target not in self.links:
            lines = self.ask("-t", "commands", target).splitlines()
            line = next(line for line in reversed(lines) if f" -o {target}" in line)
            self.links[target] = shlex.split(next(part for part in line.split("&&") if f" -o {target}" in part))
        return self.links[target]

    def changed(self, mutant, target, scratch, run):
        """The target with the mutant, in the folder `scratch`; none if nothing of it includes the changed file. `run`
        starts compilers and linkers."""
        link = list(self.link(target))
        changed = scratch / mutant.file
        objects = [o for o, files in self.includes.items() if o in link and (ROOT / mutant.file).resolve() in files]
        for object_file in objects:
            command = [str(changed) if word == str(ROOT / mutant.file) else word for word in self.compile[object_file]]
            new = str(scratch / object_file.replace("/", "_"))
            command[command.index("-o") + 1] = link[link.index(object_file)] = new
            command.insert(1 + command[0].endswith("ccache"), f"-I{scratch}")
            # What a mutant no longer uses is no mistake; and little is lost by optimising less.
            run([*command, "-w", "-O1"], cwd=self.folder, check=True)
        if not objects:
            return None
        place = link.index("-o") + 1
        link[place] = str(scratch / pathlib.Path(target).name)
        run(link, cwd=self.folder, check=True)
        return pathlib.Path(link[place])


def sees(program, test, environment, sample):
    """Whether the test fails, or does not end. A program that cannot even be started sees nothing."""
    command = [program, f"--gtest_filter={test}", "--gtest_fail_fast", "--gtest_brief"]
    try:
        run = sample.run(command, env=environment, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return True
    return run.returncode < 0 or (run.returncode > 0 and b"FAILED" in run.stdout)


def killer(build, mutant, sample):
    """The first of the mutant's tests that sees it, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        (scratch / mutant.file).parent.mkdir(parents=True)
        (scratch / mutant.file).write_text(mutant.text())
        try:
            library = build.changed(mutant, "libattestone.so", scratch, sample.run)
            environment = os.environ | {"LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1", "ATTESTONE_SEED": "1"}
            for name, test in mutant.seen:
                program = f"tests/{name}"
                changed = build.changed(mutant, program, scratch, sample.run)
                if sees(changed or build.folder / program, test, environment, sample):
                    return True, f"{name} {test}"
        except subprocess.CalledProcessError as error:
            print(error.stderr.decode(), file=sys.stderr)
            return False, "**does not compile**"
    return False, "**nothing**"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path, nargs="?")
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    arguments.add_argument("--only", default="")
    arguments.add_argument("--sample", help="how many mutants are asked")
    arguments.add_argument("--seed", help="draws them")
    given = arguments.parse_args()
    mutants = read_mutants(given.only)
    for mutant in mutants:
        mutant.text()
    if given.check:
        return 0
    if not given.build:
        arguments.error("which BUILD?")
    build = Build(given.build.resolve())
    limits = {"ATTESTONE_SAMPLE": given.sample, "ATTESTONE_SEED": given.seed}
    sample = Sample("mutants", [mutant for mutant in mutants if mutant.seen], may_hang=True,
                    environment=os.environ | {name: limit for name, limit in limits.items() if limit is not None})
    alive = 0
    print("| mutant of the judge | seen by |\n|---|---|")
    for mutant, (seen, by) in sample.each(lambda mutant: killer(build, mutant, sample), given.jobs):
        print(f"| `{mutant}` | {by} |", flush=True)
        if not seen:
            alive += 1
            sample.complaints.append(f"{mutant} is seen by {by}")
    argued = [mutant for mutant in mutants if mutant.argued]
    for mutant in argued:
        print(f"| `{mutant}` | {mutant.argued} |")
    print(f"\n{sample.ran - alive} of {sample.ran} seen, {len(argued)} argued, {alive} alive")
    return sample.status()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What attestone says of a system's answers, and of its own method's on the same problems and devices."""
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
ATTESTONE = os.path.join(ROOT, "build/release/attestone")


# Local kernels multiply what a row may not see by 0, within a tile, so NaN comes through: no matter of what passes between
# devices.
OF_THE_LOCAL_KERNEL = "invisible_keys_ignored,gradient_ignores_invisible"


class Judged:
    """Of each problem its outcome, `conforms` or `fails: REASONS`; what was refused or left out; or why nothing ran."""

    def __init__(self, outcomes, refusals=(), left_out=0, unchecked="", cases=()):
        self.outcomes, self.refusals, self.left_out = outcomes, refusals, left_out
        self.unchecked, self.cases = unchecked, cases

    def evidence(self, problem):
        """Of the first case that failed."""
        failed = (case for case in self.cases if case["problem"] == problem and case["outcome"] == "failed")
        return next((case["evidence"] for case in failed), "")


def outcome(cases):
    reasons = sorted({case["reason"] for case in cases if case["outcome"] == "failed"})
    return "fails: " + ", ".join(reasons) if reasons else "conforms"


def captured(command, **options):
    return subprocess.run(command, capture_output=True, check=False, **options)


def judged(asked, arguments, environment=(), run=captured):
    """asked: problems, or `--suite=NAME`; `run` starts a process and captures its outputs."""
    command = [ATTESTONE, "run", *arguments, "--no-shrink", "--timeout=120s", "--format=json", asked]
    done = run(command, text=True, env={**os.environ, **dict(environment)})
    if not done.stdout:
        return Judged({}, unchecked=(done.stderr.strip().splitlines() or ["says nothing"])[-1])
    run = json.loads(done.stdout)["runs"][0]
    by_problem = {}
    for case in run["cases"]:
        by_problem.setdefault(case["problem"], []).append(case)
    return Judged({problem: outcome(cases) for problem, cases in by_problem.items()}, list(run["refusals"]),
                  run["problems_left_out"], cases=run["cases"])


def theirs(system, run=captured):
    """A library runs in the folder of its version, beside what all of them need."""
    folders = [os.path.join(ROOT, "build/beside", folder) for folder in (system["packages"], "common")]
    program = [sys.executable, os.path.join(HERE, "program.py"), system["program"], f"--variant={system['variant']}",
               f"--mesh={system['mesh']}", f"--dtype={system.get('dtype', 'f32')}"]
    environment = {"PYTHONPATH": os.pathsep.join(folders), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    arguments = [f"--program={shlex.join(program)}", f"--except-property={OF_THE_LOCAL_KERNEL}"]
    return judged(system["problems"], arguments, environment, run)


def ours(system, run=captured):
    return judged(system["problems"], [f"--kernel={system['ours']}", f"--mesh={system['mesh']}"], run=run)

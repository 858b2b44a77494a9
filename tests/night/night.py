# SPDX-License-Identifier: Apache-2.0
"""The night: every step of STEPS, one after another, each within its allowance of minutes.

    ./run nightly              all steps, within two hours where the compiler's cache is warm
    ./run nightly STEP...      only these

ATTESTONE_SEED draws the samples, and what tests at full effort draw (default: the date). ATTESTONE_NIGHT_MINUTES=300
stretches all allowances in proportion: after a change of everything, when nothing is in the cache. A step whose time is
over is stopped with all its processes and fails; one that takes a sample ends by itself before. The table goes to
build/nightly.md, what the steps print to build/nightly/STEP.log as well. Ends with 1 if a step fails.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
MINUTES = 120


class Step(NamedTuple):
    """A job of ./run. `least` is how many things a sample must hold; 0: the step takes no sample, everything runs."""
    job: str
    minutes: float
    least: int = 0

    @property
    def name(self):
        return self.job.removeprefix("step_")


STEPS = (
    Step("test", 22),
    Step("step_release_tests", 14, least=60),
    Step("step_same_reports", 4),
    Step("step_clang_tests", 7, least=300),
    Step("step_slow_sanitize_tests", 8, least=60),
    Step("step_thread_tests", 7, least=200),
    Step("step_neon", 3),
    Step("tidy", 7, least=60),
    Step("docs", 2),
    Step("step_fuzz", 5, least=1),
    Step("step_captures", 3),
    Step("step_judge", 10, least=60),
    Step("step_beside", 4, least=4),
    Step("step_real_kernels", 6, least=1),
    Step("step_bare_machine", 18, least=20),
)

SHARE = re.compile(r"^seed \S+: (.+?) ran\b", re.MULTILINE)
LAST_PART = 0.05  # of a step's time: what a sample leaves for the lines after it


def processes_of(session):
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):  # it has just ended
            continue
        if int(its_session) == session and state != "Z":
            yield int(stat.parent.name)


def end_session(session):
    """Ends every process of a session, whatever groups it has: politely at first."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in list(processes_of(session)):
            try:
                os.kill(process, number)
            except OSError:  # it has just ended, or belongs to root
                pass
        for _ in range(20):
            if not any(processes_of(session)):
                return
            time.sleep(0.1)


def follow(log, process, end):
    """Prints what a process writes to its log; False if it had to be stopped."""
    in_time = True
    with open(log, errors="replace", encoding="utf-8") as written:
        while True:
            ended = process.poll() is not None
            sys.stdout.write(written.read())
            sys.stdout.flush()
            if ended:
                return in_time
            if time.time() >= end:
                in_time = False
                end_session(process.pid)
            time.sleep(0.2)


def run_step(step, seconds, seed, log, program="./run"):
    """The outcome of a step, and what share of it ran."""
    end, limits = time.time() + seconds, {"ATTESTONE_UNTIL": "", "ATTESTONE_LEAST": "", "ATTESTONE_SEED": ""}
    if step.least:
        least = max(1, round(step.least * min(1, seconds / (60 * step.minutes))))
        limits = {"ATTESTONE_UNTIL": end - LAST_PART * seconds, "ATTESTONE_LEAST": least, "ATTESTONE_SEED": seed}
    environment = {name: value for name, value in os.environ.items() if name not in limits}
    environment |= {name: str(limit) for name, limit in limits.items() if limit}
    with open(log, "wb") as file:
        process = subprocess.Popen([program, step.job], stdout=file, stderr=subprocess.STDOUT, cwd=ROOT,
                                   env=environment, start_new_session=True)
    try:
        in_time = follow(log, process, end)
    finally:
        end_session(process.pid)
    share = ", ".join(SHARE.findall(log.read_text(errors="replace")))
    if not in_time:
        return f"FAILED: did not end in {seconds / 60:.1f} minutes", share
    return ("FAILED", share) if process.returncode else ("passed", share or "all")


def main(names):
    steps = [step for step in STEPS if not names or step.name in names]
    if unknown := set(names) - {step.name for step in STEPS}:
        sys.exit(f"no such step: {', '.join(sorted(unknown))}; there are {', '.join(step.name for step in STEPS)}")
    seed = os.environ.get("ATTESTONE_SEED") or time.strftime("%Y%m%d")
    minutes = float(os.environ.get("ATTESTONE_NIGHT_MINUTES") or MINUTES)
    describe = ["git", "-C", ROOT, "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip()
    logs = ROOT / "build/nightly"
    logs.mkdir(parents=True, exist_ok=True)
    title = f"seed {seed}: nightly of {commit}, {len(steps)} steps"
    print(title, flush=True)
    table = [title, "", "| step | outcome | allowed, min | took, min | what ran |", "|---|---|---|---|---|"]
    begin, failed = time.time(), 0
    for step in steps:
        start, allowed = time.time(), step.minutes * minutes / MINUTES
        outcome, share = run_step(step, 60 * allowed, seed, logs / f"{step.name}.log")
        failed += outcome != "passed"
        table.append(f"| {step.name} | {outcome} | {allowed:.1f} | {(time.time() - start) / 60:.1f} | {share} |")
        (ROOT / "build/nightly.md").write_text("\n".join(table) + "\n")
    print("\n".join(table))
    allowed = sum(step.minutes for step in steps) * minutes / MINUTES
    again = " ".join([f"ATTESTONE_SEED={seed} ./run nightly", *names])
    print(f"seed {seed}: {len(steps) - failed} of {len(steps)} steps passed in {(time.time() - begin) / 60:.1f} of "
          f"{allowed:.0f} minutes; {again} draws the same")
    return 1 if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that no step goes on alone
    sys.exit(main(sys.argv[1:]))

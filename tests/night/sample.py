# SPDX-License-Identifier: Apache-2.0
"""A share of many things, taken in an order that a seed draws: what a step of the night has the time for.

Without a limit everything is taken, in the order given. Limits come from the environment:

    ATTESTONE_UNTIL    seconds since 1970: nothing begins shortly before, and whatever still runs then is stopped
    ATTESTONE_SAMPLE   how many things are taken at most
    ATTESTONE_LEAST    how many must have run; fewer fail (default: 1)
    ATTESTONE_SEED     draws the order; tests draw by it as well, and by seeds of their own where it is not set

The first and the last line name the seed; the last line says how many of how many ran, and how to repeat them.
"""
import concurrent.futures
import hashlib
import os
import signal
import subprocess
import time

RESERVE = 0.1  # the last part of the time, in which nothing begins
TOO_LONG = 0.5  # a thing that is stopped after this part of the time fails: it may never end


class Stopped(Exception):
    """The time was over before the work was done."""


def end_group(process):
    """Ends a process that leads a group, with all others of the group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Sample:
    """Things to be taken one by one (`each`) or several at a time (`take`)."""

    def __init__(self, kind, things, early=lambda thing: False, may_hang=False, environment=os.environ):
        """`kind` names the things in the plural, str() each of them; `early` ones are taken before all others; unless
        they `may_hang`, it is a fault of things not to end."""
        limits = {name: environment.get(f"ATTESTONE_{name}") for name in ("UNTIL", "SAMPLE", "LEAST", "SEED")}
        self.kind, self.waiting = kind, list(things)
        self.all, self.ran, self.skipped = len(self.waiting), 0, 0
        self.complaints, self.may_hang = [], may_hang
        self.seed = limits["SEED"] or "default"
        self.least = int(limits["LEAST"] or 1)
        self.begin = time.time()
        self.until = float(limits["UNTIL"]) if limits["UNTIL"] else None
        self.is_all = self.until is None and not limits["SAMPLE"]
        if not self.is_all:
            self.waiting.sort(key=lambda thing: (not early(thing), self.draw(thing)))
            self.waiting = self.waiting[:int(limits["SAMPLE"] or self.all)]
        self.taken, limit = 0, f", {self.seconds_left():.0f} seconds" if self.until else ""
        print(f"seed {self.seed}: {len(self.waiting)} of {self.all} {kind} may run{limit}", flush=True)

    def draw(self, thing):
        """The place of a thing in the order: it does not depend on which other things there are."""
        return hashlib.sha256(f"{self.seed} {thing}".encode()).digest()

    def seconds_left(self):
        """None if there is no limit."""
        return None if self.until is None else max(0, self.until - time.time())

    def take(self, count):
        """The next things, `count` at most; none when the time is over."""
        if self.until and time.time() >= self.until - RESERVE * (self.until - self.begin):
            return []
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        self.taken += len(taken)
        return taken

    def stopped(self, thing, seconds):
        """Notes that a thing which had run for so long was stopped."""
        print(f"stopped because the time was over: {thing}, after {seconds:.0f} s")
        if not self.may_hang and seconds > TOO_LONG * (self.until - self.begin):
            self.complaints.append(f"{thing} did not end within {seconds:.0f} s")

    def run(self, command, timeout=None, check=False, **options):
        """subprocess.run with outputs captured; raises Stopped when the time is over, and leaves no process behind."""
        left = self.seconds_left()
        limit = min((seconds for seconds in (left, timeout) if seconds is not None), default=None)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "process_group": 0}
        with subprocess.Popen(command, **pipes, **options) as process:
            try:
                out, err = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                if limit == left:
                    raise Stopped from None
                raise
            finally:
                end_group(process)
        if check and process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, out, err)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def each(self, work, jobs=1):
        """Yields things with what `work` makes of them, in the order in which they are done, `jobs` at a time."""
        running = {}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            while True:
                for thing in self.take(jobs - len(running)):
                    running[pool.submit(work, thing)] = thing, time.time()
                if not running:
                    return
                for future in concurrent.futures.wait(running, return_when="FIRST_COMPLETED").done:
                    thing, begin = running.pop(future)
                    try:
                        result = future.result()
                    except Stopped:
                        self.stopped(thing, time.time() - begin)
                    else:
                        self.ran += 1
                        yield thing, result

    def status(self):
        """Prints what is wrong, then the last line; 1 if something is wrong, or if what ran shows too little."""
        if self.ran < self.least:
            self.complaints.append(f"{self.ran} {self.kind} ran, at least {self.least} must")
        for complaint in self.complaints:
            print(f"FAILED: {complaint}")
        words = [f"{self.ran} of {self.all} {self.kind} ran"]
        words += [f"{self.skipped} skipped"] if self.skipped else []
        words += [f"ATTESTONE_SEED={self.seed} repeats the draws"] if self.seed != "default" else []
        words += [f"ATTESTONE_SAMPLE={self.taken} takes as many again"] if not self.is_all else []
        print(f"seed {self.seed}: {', '.join(words)}", flush=True)
        return 1 if self.complaints else 0

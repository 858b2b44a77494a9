# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a build by ctest: all of them, or as many as there is time for (sample.py).

    python3 tests/night/sampled_ctest.py BUILD JOBS [ARGUMENT-OF-CTEST...]

A seed that draws among tests is not theirs, unless they do more than in CI (ATTESTONE_EFFORT): what some of them expect
is true of the draws of CI, or of large ones.

Ends with 1 if a test fails or does not end, or if too few ran.
"""
import os
import re
import signal
import subprocess
import sys
import threading
import time

from sample import Sample, end_group

BATCH_S = 30  # ctest reads the list of all tests at each start, so that it is given this much work at a time
MOST_IN_A_BATCH = 500
TESTS_FAILED = 8  # ctest's exit status

LISTED = re.compile(r" *Test +#(\d+): (.+)")
BEGINS = re.compile(r" *Start +(\d+): ")
ENDS = re.compile(r" *\d+/\d+ Test +#(\d+): .*?(?:   |\*\*\*)(Passed|Skipped|)")


class Tests:
    """The tests of one build, and what came of those that ran."""

    def __init__(self, build, jobs, arguments):
        self.ctest, self.arguments = ["ctest", "--test-dir", build], arguments
        self.jobs = jobs
        listing = subprocess.run([*self.ctest, "-N", *arguments], check=True, capture_output=True, text=True).stdout
        tests = [match.groups() for match in map(LISTED.fullmatch, listing.splitlines()) if match]
        self.numbers = {name: number for number, name in tests}
        self.names = dict(tests)
        self.sample = Sample("tests", self.numbers)
        self.environment = dict(os.environ)
        if not self.sample.is_all and not self.environment.get("ATTESTONE_EFFORT"):
            self.environment.pop("ATTESTONE_SEED", None)

    def run(self, names):
        """Runs some of them, and stops those that still run when the time is over."""
        chosen = ["-I", "0,0,0," + ",".join(self.numbers[name] for name in names)]
        command = [*self.ctest, "-j", str(self.jobs), "--output-on-failure", "--no-tests=error",
                   *(self.arguments if self.sample.is_all else chosen)]
        begun, failed = {}, len(self.sample.complaints)
        left = self.sample.seconds_left()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace", process_group=0,
                              env=self.environment) as process:
            clock = threading.Timer(left or 0, end_group, [process])
            if left is not None:
                clock.start()
            try:
                for line in process.stdout:
                    print(line, end="", flush=True)
                    self.read(line, begun)
            finally:
                clock.cancel()
                end_group(process)
        if self.sample.seconds_left() == 0:
            for name, begin in begun.items():
                self.sample.stopped(name, time.time() - begin)
        elif process.returncode not in ((0,) if failed == len(self.sample.complaints) else (0, TESTS_FAILED)):
            self.sample.complaints.append(f"ctest ended with {process.returncode}")

    def read(self, line, begun):
        """Reads one line of ctest."""
        if match := BEGINS.match(line):
            begun[self.names[match[1]]] = time.time()
        elif match := ENDS.match(line):
            name = self.names[match[1]]
            begun.pop(name, None)
            if match[2] == "Skipped":
                self.sample.skipped += 1
            else:
                self.sample.ran += 1
            if match[2] == "":
                self.sample.complaints.append(name)

    def run_all(self):
        """Runs batch after batch; each test of the past batch says how large the next one should be."""
        size = 4 * self.jobs
        while batch := self.sample.take(len(self.names) if self.sample.is_all else size):
            begin = time.time()
            self.run(batch)
            per_test = max(time.time() - begin, 0.01) / len(batch)
            size = max(self.jobs, min(round(BATCH_S / per_test), MOST_IN_A_BATCH))
        return self.sample.status()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that no test goes on alone
    sys.exit(Tests(sys.argv[1], int(sys.argv[2]), sys.argv[3:]).run_all())

# SPDX-License-Identifier: Apache-2.0
"""The night fits into two hours, samples are those that their seeds draw, and nothing that fails or hangs passes."""
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import night
import sampled_tidy
from sample import Sample, Stopped

HERE = pathlib.Path(__file__).resolve().parent
TESTS = """
cmake_minimum_required(VERSION 3.25)
project(tests NONE)
enable_testing()
foreach(number RANGE 1 40)
  add_test(NAME "Quick of/${number}" COMMAND sleep 0.02)
endforeach()
"""


def quietly(function, *arguments, **named):
    """What a function returns, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        result = function(*arguments, **named)
    return result, out.getvalue()


def sampled(things, **limits):
    return quietly(Sample, "things", things, environment={f"ATTESTONE_{name}": str(limits[name]) for name in limits})[0]


class Samples(unittest.TestCase):
    def test_without_a_limit_everything_runs_in_its_order(self):
        sample = sampled(range(100))
        self.assertEqual([thing for thing, _ in sample.each(str)], list(range(100)))
        self.assertEqual(quietly(sample.status), (0, "seed default: 100 of 100 things ran\n"))

    def test_a_seed_draws_an_order_and_repeats_it(self):
        def taken(seed, things=range(100)):
            return sampled(things, SEED=seed, SAMPLE=40).take(40)

        self.assertEqual(taken(1), taken(1))
        self.assertNotEqual(taken(1), taken(2))
        self.assertGreater(len(set().union(*map(taken, range(5)))), 80)
        fewer = [thing for thing in range(100) if thing != taken(1)[0]]
        self.assertEqual(taken(1, fewer)[:39], taken(1)[1:])  # other things keep their places

    def test_the_last_line_says_how_much_ran_and_how_to_repeat_it(self):
        sample = sampled(range(100), SEED=7, SAMPLE=3)
        self.assertEqual(len(list(sample.each(str, jobs=2))), 3)
        self.assertEqual(quietly(sample.status), (0, "seed 7: 3 of 100 things ran, ATTESTONE_SEED=7 repeats the draws, "
                                                     "ATTESTONE_SAMPLE=3 takes as many again\n"))

    def test_an_empty_or_too_small_sample_fails(self):
        for count, limits in ((9, {"SAMPLE": 0}), (0, {}), (9, {"UNTIL": 1}), (9, {"LEAST": 10})):
            sample = sampled(range(count), **limits)
            list(sample.each(str))
            self.assertEqual(quietly(sample.status)[0], 1)

    def test_what_is_early_precedes_what_is_drawn(self):
        limits = {"ATTESTONE_SAMPLE": "5"}
        sample, _ = quietly(Sample, "things", range(100), early=lambda thing: thing > 97, environment=limits)
        self.assertEqual(set(sample.take(2)), {98, 99})

    def test_nothing_begins_when_the_time_is_over(self):
        sample = sampled(range(1000), UNTIL=time.time() + 0.5)
        ran = len(list(sample.each(lambda thing: time.sleep(0.05), jobs=2)))
        self.assertIn(ran, range(4, 21))
        self.assertEqual(quietly(sample.status)[0], 0)

    def test_a_process_is_stopped_with_all_that_it_began(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = pathlib.Path(folder, "mark")
            sample, begin = sampled(["hangs"], UNTIL=time.time() + 0.5), time.time()
            command = ["sh", "-c", f"(sleep 2; touch {mark}) & sleep 60"]
            result, _ = quietly(lambda: list(sample.each(lambda thing: sample.run(command))))
            self.assertEqual(result, [])
            self.assertLess(time.time() - begin, 2)
            time.sleep(2.5)
            self.assertFalse(mark.exists())

    def test_what_had_most_of_the_time_and_did_not_end_fails(self):
        for sleep, complaints in ((0, ["hangs did not end within 1 s"]), (0.6, [])):
            sample = sampled(["hangs"], UNTIL=time.time() + 1)
            sample.until, sample.waiting = time.time() + 1, ["hangs"]
            sample.begin = sample.until - 1 - sleep * 10
            quietly(list, sample.each(lambda thing, run=sample.run: run(["sleep", "60"])))
            self.assertEqual(sample.complaints, complaints)
            sample.complaints, sample.may_hang = [], True
            quietly(sample.stopped, "hangs", 1000)
            self.assertEqual(sample.complaints, [])

    def test_a_timeout_of_its_own_is_no_stop(self):
        sample = sampled(["slow"], UNTIL=time.time() + 60)
        with self.assertRaises(subprocess.TimeoutExpired):
            sample.run(["sleep", "60"], timeout=0.1)
        with self.assertRaises(subprocess.CalledProcessError):
            sample.run(["false"], check=True)
        self.assertEqual(sample.run(["echo", "said"], text=True).stdout, "said\n")
        sample.until = time.time() - 1
        with self.assertRaises(Stopped):
            sample.run(["sleep", "60"], timeout=60)


class SampledTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_tests(self, more="", arguments=(), **limits):
        """The exit status and the lines of sampled_ctest.py for a build with the given tests."""
        pathlib.Path(self.folder, "CMakeLists.txt").write_text(TESTS + more)
        build = os.path.join(self.folder, "build")
        subprocess.run(["cmake", "-S", self.folder, "-B", build], check=True, capture_output=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ATTESTONE_")}
        environment |= {f"ATTESTONE_{name}": str(limits[name]) for name in limits}
        command = [sys.executable, "-B", HERE / "sampled_ctest.py", build, "4", *arguments]
        done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)
        return done.returncode, done.stdout.splitlines()

    def test_all_of_them_run_without_a_limit(self):
        status, lines = self.run_tests('add_test(NAME Skips COMMAND sh -c "exit 77")\n'
                                       'set_tests_properties(Skips PROPERTIES SKIP_RETURN_CODE 77)\n')
        self.assertEqual((status, lines[-1]), (0, "seed default: 40 of 41 tests ran, 1 skipped"))

    def test_arguments_choose_among_them(self):
        status, lines = self.run_tests(arguments=("-R", "/1$"))
        self.assertEqual((status, lines[-1]), (0, "seed default: 1 of 1 tests ran"))
        self.assertEqual(self.run_tests(arguments=("-R", "none"))[0], 1)

    def test_a_sample_is_drawn(self):
        status, lines = self.run_tests(SEED=3, SAMPLE=5)
        self.assertEqual(status, 0)
        self.assertTrue(lines[0].startswith("seed 3: 5 of 40 tests may run"))
        self.assertTrue(lines[-1].startswith("seed 3: 5 of 40 tests ran"))

    def test_tests_draw_by_the_seed_unless_it_draws_among_them(self):
        tells = 'add_test(NAME Tells COMMAND sh -c "echo seed is [$ATTESTONE_SEED]; false")\n'
        for limits, seed in (({"SAMPLE": 41}, ""), ({}, "3"), ({"SAMPLE": 41, "EFFORT": "nightly"}, "3")):
            _, lines = self.run_tests(tells, SEED=3, **limits)
            self.assertIn(f"seed is [{seed}]", lines)

    def test_a_failure_fails_whatever_kind_it_is_of(self):
        for command in ("false", "/absent", "sh -c \"exec sleep 60\""):
            status, lines = self.run_tests(f"add_test(NAME Fails COMMAND {command})\n"
                                           "set_tests_properties(Fails PROPERTIES TIMEOUT 1)\n", UNTIL=time.time() + 30)
            self.assertEqual(status, 1)
            self.assertIn("FAILED: Fails", lines)
            self.assertTrue(lines[-1].startswith("seed default: 41 of 41 tests ran"))

    def test_what_there_is_no_time_for_is_not_run(self):
        long_ones = "foreach(number 1 2 3 4)\nadd_test(NAME Long${number} COMMAND sleep 60)\nendforeach()\n"
        status, lines = self.run_tests(long_ones, UNTIL=time.time() + 4)
        stopped = [line for line in lines if line.startswith("stopped because the time was over: Long")]
        self.assertTrue(stopped)
        failed = [line for line in lines if line.startswith("FAILED") and "did not end within" in line]
        self.assertEqual(status, 1 if failed else 0)

    def test_no_time_at_all_fails(self):
        status, lines = self.run_tests(UNTIL=1)
        self.assertEqual(status, 1)
        self.assertIn("FAILED: 0 tests ran, at least 1 must", lines)


class Night(unittest.TestCase):
    def test_fits_into_two_hours(self):
        self.assertLessEqual(sum(step.minutes for step in night.STEPS), night.MINUTES)
        self.assertLessEqual(night.MINUTES, 120)

    def test_every_step_is_a_job(self):
        run = (night.ROOT / "run").read_text()
        for step in night.STEPS:
            self.assertTrue(f"\n{step.job}() {{" in run or f"\njob_{step.job}() {{" in run, step)
        self.assertEqual(len({step.name for step in night.STEPS}), len(night.STEPS))

    def run_step(self, script, seconds, least=0):
        with tempfile.TemporaryDirectory() as folder:
            program, log = pathlib.Path(folder, "run"), pathlib.Path(folder, "log")
            program.write_text("#!/bin/sh\n" + script)
            program.chmod(0o755)
            return quietly(night.run_step, night.Step("step", 1, least), seconds, "5", log, program)

    def test_a_step_is_told_its_seed_and_its_share(self):
        (outcome, share), out = self.run_step(
            'echo "$1 of ${ATTESTONE_SEED-no seed} ends at ${ATTESTONE_UNTIL-no time}"\n'
            'echo "seed 5: 3 of 9 things ran, 1 skipped"\n', 60)
        self.assertEqual((outcome, share), ("passed", "3 of 9 things"))
        self.assertIn("step of no seed ends at no time\n", out)
        tells = 'echo "seed $ATTESTONE_SEED, $ATTESTONE_LEAST until $ATTESTONE_UNTIL"'
        (outcome, share), out = self.run_step(tells, 30, least=10)
        self.assertEqual((outcome, share), ("passed", "all"))
        self.assertTrue(out.startswith("seed 5, 5 until "))
        self.assertLess(abs(float(out.split()[-1]) - time.time() - 28.5), 5)

    def test_a_failure_is_one(self):
        self.assertEqual(self.run_step("exit 3\n", 60)[0], ("FAILED", ""))

    def test_a_step_that_does_not_end_fails_and_leaves_nothing(self):
        begin = time.time()
        (outcome, _), out = self.run_step("trap '' TERM\necho $$\nsleep 60 &\nsleep 60\nsleep 60\n", 1)
        self.assertEqual(outcome, "FAILED: did not end in 0.0 minutes")
        self.assertLess(time.time() - begin, 15)
        self.assertEqual(list(night.processes_of(int(out))), [])

    def test_unknown_steps_are_refused(self):
        with self.assertRaisesRegex(SystemExit, "no such step: fuzzy; there are test, release_tests"):
            night.main(["fuzz", "fuzzy"])


class Tidy(unittest.TestCase):
    def test_looks_at_the_layers(self):
        with tempfile.TemporaryDirectory() as folder:
            names = ("reference/a.cpp", "tests/a_test.cpp", f"{folder}/gathered.cpp", "backends/b.cpp")
            commands = ", ".join(f'{{"file": "{night.ROOT / name}"}}' for name in names)
            pathlib.Path(folder, "compile_commands.json").write_text(f"[{commands}]")
            files = sampled_tidy.files_of_the_layers(pathlib.Path(folder))
        self.assertEqual(files, ["backends/b.cpp", "reference/a.cpp"])


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What run.py says of its tables: a damaged or empty one fails, and so does an empty sample."""
import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import run
from sample import Sample

FILE = "tests/judge/run.py"
GOOD = f"file {FILE}\nbefore LIMIT_S = 900\nafter LIMIT_S = 1\nseen judge:Tables.*\n"


def said_of(table):
    """What --check says of a table; empty if it has no complaint."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "table.txt").write_text(table)
        with mock.patch.object(run, "TABLES", pathlib.Path(folder)), mock.patch("sys.argv", ["run.py", "--check"]):
            try:
                return run.main() or ""
            except SystemExit as error:
                return error.code


class Tables(unittest.TestCase):
    def test_a_paragraph_is_a_mutant(self):
        self.assertEqual(said_of(GOOD), "")
        self.assertEqual(said_of(GOOD + "\n" + GOOD.replace("seen judge:Tables.*", "argued Nobody waits.")), "")

    def test_a_table_without_mutants_fails(self):
        for table in ("", "\n", "\n\n\n"):
            self.assertIn("a paragraph is file, before, after", said_of(table))
        with mock.patch.object(pathlib.Path, "glob", return_value=[]):
            self.assertEqual(said_of(GOOD), "no mutants")

    def test_a_damaged_paragraph_fails(self):
        for line in GOOD.splitlines():
            self.assertIn("a paragraph is file, before, after", said_of(GOOD.replace(line + "\n", "")))
            self.assertIn("a paragraph is file, before, after", said_of(GOOD.replace(line, line.split()[0])))
        self.assertIn("a paragraph is file, before, after", said_of(GOOD + "argued It is both.\n"))
        self.assertIn("a paragraph is file, before, after", said_of(GOOD + GOOD))

    def test_the_text_to_change_stands_once_in_its_file(self):
        self.assertIn("stands 0 times", said_of(GOOD.replace("900", "901")))
        self.assertIn("must be once", said_of(GOOD.replace("before LIMIT_S = 900", "before LIMIT_S")))

    def test_an_empty_sample_fails(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            sample = Sample("mutants", run.read_mutants(""), environment={"ATTESTONE_SAMPLE": "0"})
            self.assertEqual(list(sample.each(lambda mutant: mutant)), [])
            self.assertEqual(sample.status(), 1)
        self.assertIn("FAILED: 0 mutants ran, at least 1 must", out.getvalue())


if __name__ == "__main__":
    unittest.main()

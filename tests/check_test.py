# SPDX-License-Identifier: Apache-2.0
"""./run check maps a change to the tests that can see it, and to no others."""
import unittest

from check import ROOT, is_chosen, suites, test_files
from tree import Source, sources


def including(*headers):
    return [f'#include "{header}"' for header in headers]


TREE = {path: Source(path, lines) for path, lines in {
    "reference/a/word.hpp": [],
    "reference/a/word.cpp": including("reference/a/word.hpp"),
    "backends/b/kernel.hpp": including("reference/a/word.hpp"),
    "backends/b/kernel.cpp": including("backends/b/kernel.hpp"),
    "backends/c/other.cpp": [],
    "tests/reference/a/word_test.cpp": ["TEST(Words, AreRead) {"],
    "tests/backends/b/loops_test.cpp": ["TEST(Loops, End) {"],
    "tests/simulate/unrelated_test.cpp": [],
    "tests/backends/c/other_test.cpp": including("tests/oracle.hpp") + ["TEST_P(Other, Is) {"],
    "tests/conformance/far_test.cpp": including("backends/b/kernel.hpp"),
    "tests/backends/kernels_test.cpp": [],
    "tests/docs/commands_test.cpp": [],
    "tests/oracle.hpp": [],
}.items()}
TESTS = {path for path in TREE if path.endswith("_test.cpp")}


class Mapping(unittest.TestCase):
    def of(self, *changed):
        return test_files(TREE, changed)[0]

    def test_a_room_is_tested_by_its_mirror_and_by_what_includes_it(self):
        self.assertEqual(self.of("backends/c/other.cpp"),
                         {"tests/backends/c/other_test.cpp", "tests/backends/kernels_test.cpp"})
        reached = {"tests/backends/b/loops_test.cpp", "tests/conformance/far_test.cpp"}
        self.assertEqual(self.of("backends/b/kernel.cpp"), reached | {"tests/backends/kernels_test.cpp"})

    def test_rooms_that_include_a_header_are_reached(self):
        reached = {"tests/reference/a/word_test.cpp", "tests/backends/b/loops_test.cpp",
                   "tests/conformance/far_test.cpp"}
        self.assertEqual(self.of("reference/a/word.hpp"), reached)
        self.assertEqual(self.of("reference/a/word.cpp"), reached)

    def test_a_change_of_tests_is_one(self):
        self.assertEqual(self.of("tests/oracle.hpp"), {"tests/backends/c/other_test.cpp"})
        self.assertEqual(self.of("tests/docs/commands_test.cpp"), {"tests/docs/commands_test.cpp"})

    def test_other_files_have_their_readers_or_are_named(self):
        self.assertEqual(self.of("docs/rules.md"), {"tests/docs/commands_test.cpp"})
        self.assertEqual(self.of("backends/CMakeLists.txt"), TESTS)
        self.assertEqual(test_files(TREE, ["run", "docs/rules.md"])[1], ["run"])
        self.assertEqual(test_files(TREE, []), (set(), []))

    def test_names_of_tests_are_those_of_the_suites(self):
        chosen = suites(TREE, {"tests/backends/b/loops_test.cpp", "tests/backends/c/other_test.cpp"})
        self.assertEqual(chosen, {"Loops", "Other"})
        for name in ("Loops.End", "All/Other.Is/3", "Loops/0.End"):
            self.assertTrue(is_chosen(name, ["fast"], chosen), name)
            self.assertFalse(is_chosen(name, ["slow"], chosen), name)
        for name in ("LoopsToo.End", "Words.Loops", "Words.AreRead/Other"):
            self.assertFalse(is_chosen(name, ["fast"], chosen), name)
        self.assertTrue(is_chosen("Laws.AreKept", ["style"], set()))


class Tree(unittest.TestCase):
    def test_a_central_header_reaches_most_tests_and_a_property_few(self):
        tree = sources(ROOT)
        every = {path for path in tree if path.startswith("tests/") and path.endswith("_test.cpp")}
        central = test_files(tree, ["reference/tensor/tensor.hpp"])[0]
        self.assertGreater(len(central), len(every) / 2)
        few = test_files(tree, ["conformance/properties/gain.cpp"])[0]
        self.assertTrue(0 < len(few) < len(every) / 4, len(few))


if __name__ == "__main__":
    unittest.main()

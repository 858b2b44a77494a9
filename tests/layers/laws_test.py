# SPDX-License-Identifier: Apache-2.0
"""Each law sees what breaks it, and lets pass what does not."""
import contextlib
import io
import unittest
from unittest import mock

import laws
from functions import functions
from tree import Source


def tree_of(files):
    return {path: Source(path, text.split("\n")) for path, text in files.items()}


def complaints(law, files):
    with contextlib.redirect_stdout(io.StringIO()):
        return law(tree_of(files))


def function(lines, above=""):
    return above + "int f(int a) {\n" + "  a += 1;\n" * (lines - 2) + "}\n"


class ShortFunctions(unittest.TestCase):
    def of(self, path, text):
        return complaints(laws.short_functions, {path: text})

    def test_a_long_function_is_seen(self):
        self.assertEqual(self.of("reference/a.cpp", function(40)), [])
        self.assertEqual(self.of("reference/a.cpp", function(41)),
                         ["reference/a.cpp:1: int f(int a) { has 41 lines, more than 40"])
        self.assertEqual(self.of("backends/a.cpp", function(70)), [])
        self.assertEqual(len(self.of("tests/a_test.cpp", function(71))), 1)

    def test_a_reason_is_needed_and_needs_a_long_function(self):
        reason = "/// Adds ones.\n// long: a table\n"
        self.assertEqual(self.of("backends/a.cpp", function(71, reason)), [])
        self.assertEqual(self.of("backends/a.cpp", function(70, reason)),
                         ["backends/a.cpp:3: int f(int a) { is short, and says why it is long"])
        self.assertEqual(len(self.of("backends/a.cpp", function(71, reason + "\n"))), 1)

    def found(self, text):
        return [(one.line, one.lines) for one in functions(text.split("\n"))]

    def test_heads_are_found_however_they_are_laid_out(self):
        self.assertEqual(self.found("namespace a {\nvoid f() {\n}\n}"), [(2, 2)])
        self.assertEqual(self.found("template <class T>\nauto f(int a,\n       int b = 3) -> T {\n  if (a) {\n  }\n}"),
                         [(1, 4)])
        self.assertEqual(self.found("class A {\n public:\n  A(int a)\n      : a_(a), b_{a} {\n  }\n};"), [(3, 2)])
        self.assertEqual(self.found("int a;  // one\nbool operator==(A, B) {\n  auto f = [&] {\n  };\n}"), [(2, 4)])
        self.assertEqual(self.found("void f(std::vector<int> (*a)()) {\n  for (;;) {\n  }\n}"), [(1, 4)])
        self.assertEqual(self.found("int main() try {\n} catch (...) {\n}"), [(1, 2)])

    def test_nothing_else_is_taken_for_one(self):
        for text in ("struct A : B<void()> {\n};", "enum class C {\n};", 'extern "C" {\n}', "#define A(x) {\nint a;",
                     "const std::function<int(int)> all[] = {\n};", "const auto t = to_array<A>({\n});", "/// f(x) {\n",
                     'const char* text = R"(\nvoid f() {\n}\n)";'):
            self.assertEqual(self.found(text), [], text)


class Rooms(unittest.TestCase):
    def of(self, paths):
        return complaints(laws.rooms_of_meaning, dict.fromkeys(paths, ""))

    def test_a_large_room_is_seen(self):
        self.assertEqual(self.of(f"backends/a/{i}.cpp" for i in range(60)), [])
        self.assertEqual(self.of(f"backends/a/{i}.cpp" for i in range(61)),
                         ["backends/a has 61 files, more than 60: split it by meaning"])
        self.assertEqual(self.of(f"tests/a/{i}.cpp" for i in range(61)), [])

    def test_numbered_rooms_are_seen(self):
        for first, second in (("tiles", "tiles2"), ("tiles_1", "tiles_2"), ("first_part", "second_part")):
            self.assertEqual(self.of((f"backends/{first}/a.cpp", f"backends/{second}/a.cpp")),
                             [f"backends/{first} and backends/{second} differ by a number alone"])
        self.assertEqual(self.of(("backends/tiles/a.cpp", "backends/cpu/tiles2/a.cpp", "backends/rows/a.cpp")), [])


class Comments(unittest.TestCase):
    def of(self, text):
        return complaints(laws.comments_with_a_subject, {"backends/a.hpp": text})

    def test_a_comment_without_a_subject_is_seen(self):
        for vague in ("Of memory.", "Those of a row.", "That of a row.", "The same of a row.", "What it is.",
                      "Whether it is.", "As above.", "It is one."):
            self.assertEqual(len(self.of(f"/// {vague}\nint a;")), 1, vague)
            self.assertEqual(len(self.of(f"  int a;  ///< {vague}")), 1, vague)

    def test_it_may_go_on_as_it_likes(self):
        self.assertEqual(self.of("/// Bytes of memory.\n/// It is backed.\nint a;\n// Of a body"), [])
        self.assertEqual(self.of("/// Often one.\nint a;\n/// Assigns."), [])
        self.assertEqual(len(self.of("/// Bytes.\nint a;\n/// Of memory.")), 1)


class Assertions(unittest.TestCase):
    def of(self, text):
        return complaints(laws.assertions_that_can_fail, {"tests/a_test.cpp": text})

    def test_a_comparison_with_itself_is_seen(self):
        self.assertEqual(self.of("\n  expect_equal(found.row(0, 1), found.row(0, 1));"),
                         ["tests/a_test.cpp:2 compares a value with itself: expect_equal(found.row(0,1), ..."])
        for text in ("EXPECT_EQ(a[i],\n          a[i])\n    << why;", "EXPECT_TRUE(a.b == a.b);",
                     "EXPECT_NEAR(x, x, 1e-9);", "ASSERT_TRUE(same(f(1, 2), f(1, 2)));", 'EXPECT_EQ("a)", "a)");'):
            self.assertEqual(len(self.of(text)), 1, text)

    def test_other_comparisons_pass(self):
        for text in ("EXPECT_EQ(found, expected);", "EXPECT_LE(a, ab);", "EXPECT_TRUE(same(a, b));",
                     "EXPECT_EQ(f(a, a), b);", r'EXPECT_EQ(x("a, \"b"), x("a, b"));', "EXPECT_TRUE(aa == a);"):
            self.assertEqual(self.of(text), [], text)


class NamesOfTests(unittest.TestCase):
    def of(self, text):
        return complaints(laws.parameterised_tests_with_names, {"tests/a_test.cpp": text})

    def test_an_instantiation_without_names_is_seen(self):
        self.assertEqual(self.of("\nINSTANTIATE_TEST_SUITE_P(All, Kernels,\n    testing::Values(1, 2));"),
                         ["tests/a_test.cpp:2 numbers its tests: name them by a fourth argument, for example "
                          "by_parameter of tests/test_name.hpp"])
        for text in ("testing::Range<index>(0, 5)", 'testing::Values("a, b", "c)")', "testing::ValuesIn({1, 2})",
                     "testing::Values(" + ", ".join(['"a long problem"'] * 1000) + ")"):
            self.assertEqual(len(self.of(f"INSTANTIATE_TEST_SUITE_P(All, Kernels, {text});")), 1, text)
            self.assertEqual(self.of(f"INSTANTIATE_TEST_SUITE_P(All, Kernels, {text}, by_parameter);"), [], text)

    def test_any_generator_gives_names(self):
        named = "[](const auto& test) { return name(test.param, 1); }"
        self.assertEqual(self.of(f"INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::Range(0, 5), {named});"), [])


class Headers(unittest.TestCase):
    INCLUDE = '#include "backends/a.hpp"'
    INCLUDES_ITS_USER = '#include "backends/b.hpp"\n'
    FILES = {"backends/a.hpp": "struct A {\n};", "backends/a.cpp": INCLUDE, "backends/b.hpp": INCLUDE,
             "backends/b.cpp": INCLUDES_ITS_USER + "A a;", "backends/c.cpp": INCLUDES_ITS_USER,
             "backends/d.cpp": INCLUDES_ITS_USER}

    def of(self, files):
        return complaints(laws.headers_that_several_files_share, files)

    def test_a_header_of_one_file_is_seen(self):
        self.assertEqual(self.of(self.FILES), ["backends/a.hpp is a part of backends/b.hpp, the only file that "
                                               "includes it: put it there"])
        self.assertEqual(self.of(self.FILES | {"backends/e.cpp": self.INCLUDE}), [])

    def test_some_kinds_may_stand_alone(self):
        user = {"backends/b.cpp": '#include "backends/a-inl.hpp"'}
        self.assertEqual(self.of({"backends/a-inl.hpp": ""} | user), [])

    def test_another_layer_cannot_take_in_its_cpp(self):
        for user in ("conformance/b.cpp", "tests/backends/a_test.cpp"):
            files = {"backends/a.hpp": "", user: self.INCLUDE}
            self.assertEqual(len(self.of(files)), 1, user)
            self.assertEqual(self.of(files | {"backends/a.cpp": self.INCLUDE}), [], user)

    def test_what_is_compiled_for_each_instruction_set_stands_alone(self):
        compiled = {"backends/a.cpp": self.INCLUDE + "\n#include <hwy/foreach_target.h>"}
        self.assertEqual(self.of(self.FILES | compiled), [])

    def test_others_may_reach_its_types_through_its_user(self):
        def complaints_if(third, header=self.FILES["backends/a.hpp"]):
            return len(self.of(self.FILES | {"backends/a.hpp": header, "backends/c.cpp": third}))

        self.assertEqual(complaints_if(self.INCLUDES_ITS_USER + "void f(const A&);"), 0)
        for text in ("// A", "int a;", "AA a;"):
            self.assertEqual(complaints_if(self.INCLUDES_ITS_USER + text), 1, text)
        self.assertEqual(complaints_if('#include "backends/x.hpp"\nA a;'), 2)  # b.hpp has one user left as well
        for header, count in (("struct A;", 1), ("class [[nodiscard]] A : B {", 0), ("using A = int;", 0)):
            self.assertEqual(complaints_if(self.INCLUDES_ITS_USER + "A a;", header), count, header)

    def test_a_file_is_not_made_too_long(self):
        for path in ("backends/a.cpp", "backends/b.cpp"):
            self.assertEqual(len(self.of(self.FILES | {path: self.FILES[path] + "\n" * 240})), 1, path)
            self.assertEqual(self.of(self.FILES | {path: self.FILES[path] + "\n" * 250}), [], path)
        self.assertEqual(self.of(self.FILES | {"backends/b.hpp": self.INCLUDE + "\n" * 250}), [])
        in_a_cpp = {"backends/a.hpp": "\n" * 90, "backends/a.cpp": "\n" * 90}
        for lines, count in ((60, 1), (90, 0)):
            self.assertEqual(len(self.of(in_a_cpp | {"backends/b.cpp": self.INCLUDE + "\n" * lines})), count)


if __name__ == "__main__":
    unittest.main()

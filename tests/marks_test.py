# SPDX-License-Identifier: Apache-2.0
"""Marks of tests become filters, and none is overlooked."""
import unittest

from marks import filters, tests

OPENING = "// SPDX-License-Identifier: Apache-2.0\n// What is tested.\n"


def filters_of(*texts):
    return filters([test for text in texts for test in tests("a_test.cpp", text)])


class Marks(unittest.TestCase):
    def test_a_mark_above_a_test_is_of_that_test(self):
        text = OPENING + "\n// slow: many problems\nTEST(A, B) {\n}\nTEST(A, C) {}\n"
        self.assertEqual(filters_of(text), ["A.B", "", ""])
        self.assertEqual(filters_of(text.replace("TEST(A, B)", "// More.\nTEST_F(A, B)")), ["A.*", "", ""])

    def test_a_mark_in_the_opening_comment_is_of_the_file(self):
        text = "// slow: many problems\n\nTEST(A, B) {\nTEST(A, C) {\n"
        self.assertEqual(filters_of(OPENING + text), ["A.*", "", ""])
        self.assertEqual(filters_of(OPENING + text, "TEST(A, D)"), ["A.B:A.C", "", ""])
        self.assertEqual(filters_of(OPENING + text.replace("slow", "alone")), ["", "", "A.*"])
        self.assertEqual(filters_of(OPENING + text.replace("slow", "slow together")), ["", "A.*", ""])

    def test_tests_of_parameters_and_types_have_longer_names(self):
        text = "\n// slow: many problems\n{}\n\n{}"
        self.assertEqual(filters_of(text.format("TEST_P(A, B) {", "TEST_P(A, C) {")), ["*/A.B/*", "", ""])
        self.assertEqual(filters_of(text.format("TEST_P(A, B) {", "")), ["*/A.*", "", ""])
        self.assertEqual(filters_of(text.format("TYPED_TEST(A, B) {", "TYPED_TEST(A, C) {")), ["A/*.B", "", ""])
        self.assertEqual(filters_of(text.format("RC_GTEST_PROP(A,\n              B,", "")), ["A.*", "", ""])

    def test_a_mark_above_no_test_is_a_mistake(self):
        with self.assertRaisesRegex(SystemExit, "a_test.cpp:3: a mark 'slow' stands above no test"):
            filters_of("\n// slow: many problems\nint a;\nTEST(A, B) {}\n")

    def test_what_only_looks_like_one_is_none(self):
        self.assertEqual(filters_of("\n// slow kernels are judged\nTEST(A, B) {}\n"), ["", "", ""])


if __name__ == "__main__":
    unittest.main()

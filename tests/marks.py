#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which tests of a folder are slow or need the machine for themselves: a comment at the test says so.

    marks.py FOLDER     prints filters for --gtest_filter: slow, slow together, alone; then the files that hold marks

A line `// slow: WHY` directly above a test marks the test; in the comment that opens a file it marks all of its tests.

    slow            takes minutes under the sanitizers, which see nothing there that fast tests do not show
    slow together   likewise; all such tests of a program run in one process, because they share what takes long
    alone           runs while no other test does
"""
import pathlib
import re
import sys

KINDS = ("slow", "slow together", "alone")
MARK = re.compile(r"// (slow together|slow|alone): \S")
TEST = re.compile(r"(TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w*)")


def tests(path, text):
    """(macro, suite, name, kind or None) of each test of a file."""
    lines, opening, kind_of_file, kind = text.split("\n"), True, None, None
    for number, line in enumerate(lines):
        opening = opening and line.startswith("//")
        mark, test = MARK.match(line), TEST.match(line)
        if mark and opening:
            kind_of_file = mark[1]
        elif mark:
            kind = mark[1]
        elif test:
            name = test[3] or lines[number + 1].strip(" ,")  # the name may stand on a line of its own
            yield test[1], test[2], name, kind or kind_of_file
            kind = None
        elif kind and not line.startswith("//"):
            sys.exit(f"{path}:{number + 1}: a mark {kind!r} stands above no test")


def pattern(macro, suite, name):
    if macro == "TEST_P":
        return f"*/{suite}.{name}/*" if name != "*" else f"*/{suite}.*"
    return f"{suite}/*.{name}" if macro == "TYPED_TEST" else f"{suite}.{name}"


def filters(found):
    """For each kind a filter: suites whose tests are all of the kind by a star, of others each test."""
    kinds_of_suite = {}
    for macro, suite, _, kind in found:
        kinds_of_suite.setdefault((macro, suite), set()).add(kind)
    patterns = {kind: [] for kind in KINDS}
    for macro, suite, name, kind in found:
        if kind:
            whole = len(kinds_of_suite[macro, suite]) == 1
            patterns[kind].append(pattern(macro, suite, "*" if whole else name))
    return [":".join(dict.fromkeys(patterns[kind])) for kind in KINDS]


def main(folder):
    found, marked = [], []
    for path in sorted(pathlib.Path(folder).rglob("*.cpp")):
        own = list(tests(path, path.read_text(encoding="utf-8")))
        found += own
        marked += [path.as_posix()] if any(kind for *_, kind in own) else []
    print(*filters(found), ";".join(marked), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1])

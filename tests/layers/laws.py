#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Laws of the sources that a reader of text can hold; the order of layers and rooms has tests of its own.

    laws.py [CHECKOUT]     prints what each law counts, and fails on what breaks one

A law returns its complaints. laws_test.py breaks each on purpose.
"""
import pathlib
import re
import sys

from functions import functions
from tree import LAYERS, sources, users


# Functions are short enough to be read at once. A longer one says why in a line `// long: ...` directly above.
MOST_LINES = 70
MOST_LINES_IN_THE_REFERENCE = 40


def short_functions(tree):
    complaints, reasons = [], []
    for source in tree.values():
        most = MOST_LINES_IN_THE_REFERENCE if source.top == "reference" else MOST_LINES
        for function in functions(source.lines):
            place = f"{source.path}:{function.line}: {function.head}"
            if function.lines > most and function.reason:
                reasons.append(f"{place} has {function.lines} lines: {function.reason}")
            elif function.lines > most:
                complaints.append(f"{place} has {function.lines} lines, more than {most}")
            elif function.reason:
                complaints.append(f"{place} is short, and says why it is long")
    print(*reasons, sep="\n")
    return complaints


# A room can be overlooked. None is split into numbered ones to stay below.
MOST_FILES = 60
# FlashAttention-4 is the name of an algorithm.
NUMBERS_WITH_A_MEANING = re.compile(r"backends/cpu/flash4$")
NUMBER = re.compile(r"_?[0-9]+$|^(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)_")


def rooms_of_meaning(tree):
    files, alike = {}, {}
    for source in tree.values():
        if source.in_a_layer:
            files[source.folder] = files.get(source.folder, 0) + 1
    for room in files:
        if not NUMBERS_WITH_A_MEANING.match(room):
            parent, _, name = room.rpartition("/")
            alike.setdefault((parent, NUMBER.sub("", name)), []).append(room)
    complaints = [f"{room} has {count} files, more than {MOST_FILES}: split it by meaning"
                  for room, count in files.items() if count > MOST_FILES]
    return complaints + [f"{' and '.join(rooms)} differ by a number alone"
                         for rooms in alike.values() if len(rooms) > 1]


# Comments name their subject: a doc comment that begins with one of these makes the reader search for its noun.
VAGUE = re.compile(r"(Of|Those|That of|The same|What|Whether|As|It)\b")
COMMENT = re.compile(r"\s*/// ?(?!<)(.*)")
COMMENT_BEHIND_CODE = re.compile(r".*///< (.*)")


def first_sentences(lines):
    """The beginnings of doc comments: of `///` blocks, and of `///<` behind members."""
    goes_on = False
    for line in lines:
        behind, alone = COMMENT_BEHIND_CODE.match(line), COMMENT.match(line)
        if behind or alone and not goes_on:
            yield (behind or alone)[1]
        goes_on = bool(alone) and not behind


def comments_with_a_subject(tree):
    return [f"{source.path}: a doc comment without a subject: {text}" for source in tree.values()
            for text in first_sentences(source.lines) if VAGUE.match(text)]


# An assertion that compares a value with itself cannot fail. Where two computations must agree, each gets a name.
ASSERTION = re.compile(r"\b(?:EXPECT|ASSERT|RC_ASSERT|CHECK|REQUIRE|expect|assert)\w*\(")
ALIKE = re.compile(r"(.+)(==|!=|<=|>=|<|>)\1|!?(?:same|equal|alike)\w*\((.+),\3\)")
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[()\[\]{},]|\s+|.')
LONGEST_CALL = 2000


def arguments(text):
    """The arguments of a call, without white space; the text begins behind its opening parenthesis."""
    found, depth = [""], 0
    for token in TOKEN.findall(text):
        if depth == 0 and token == ")":
            return found
        if depth == 0 and token == ",":
            found.append("")
            continue
        depth += (token in "([{") - (token in ")]}") if len(token) == 1 else 0
        found[-1] += token if not token.isspace() else ""
    return []


def assertions_that_can_fail(tree):
    complaints = []
    for source in tree.values():
        if source.in_a_layer:
            continue
        text = "\n".join(source.lines)
        for match in ASSERTION.finditer(text):
            given = arguments(text[match.end():match.end() + LONGEST_CALL])
            if len(given) > 1 and given[0] == given[1] or any(map(ALIKE.fullmatch, given)):
                line = text.count("\n", 0, match.start()) + 1
                complaints.append(f"{source.path}:{line} compares a value with itself: {match[0]}{given[0]}, ...")
    return complaints


# Without a name, GoogleTest calls a test by the number of its parameter, which every new parameter changes.
INSTANTIATION = re.compile(r"\bINSTANTIATE_TEST_SUITE_P\(")
NAME_GENERATOR = 3  # the place among the arguments


def parameterised_tests_with_names(tree):
    complaints = []
    for source in tree.values():
        text = "\n".join(source.lines)
        for match in INSTANTIATION.finditer(text):
            given = arguments(text[match.end():])
            if len(given) <= NAME_GENERATOR:
                line = text.count("\n", 0, match.start()) + 1
                complaints.append(f"{source.path}:{line} numbers its tests: name them by a fourth argument, "
                                  "for example by_parameter of tests/test_name.hpp")
    return complaints


# A header that one file alone includes, besides its own .cpp, is a part of that file which the reader must fetch: its
# content belongs there, unless it stands alone for a reason.
ALONE_FOR_A_REASON = (
    (r"reference/attention/\d+_\w+\.hpp", "a step of the ladder, which people read"),
    (r"reference/number_formats/.*", "a family of number formats, which dtypes/ names"),
    (r".*-inl\.hpp", "compiled once for each instruction set by the file that includes it"),
    (r"backends/distributed/methods/.*", "a method in one file, or a part of one, that another method calls"),
    (r"backends/distributed/rank/.*", "something that a rank holds or does, of which methods are made"),
    (r"backends/plugins/worker/.*|backends/distributed/worlds/.*", "a part of a program, or of what talks to one"),
    (r"conformance/program/request/.*", "a part of what a command line asks for"),
    (r"mutants/.*", "a host, whose steps faults replace one by one"),
    (r"reference/numerics/\w+_stage\.hpp", "what is declared of one stage"),
    (r"conformance/diagnosis/circumstances/places\.hpp", "a table, to which contributors add rows"),
    (r"conformance/program/kernel_template\.hpp", "shared with a file that the build writes"),
    (r"conformance/(problems|verdict|trial|run)/.*|reference/(problem|tensor|call|random)/.*|simulate/world/.*|"
     r"backends/distributed/messages/.*",
     "installed: users include it themselves"),
)
NO_REASON = "a part of one file"
# Only one file of a hundred is longer.
MOST_LINES_TOGETHER = 250
TYPE = re.compile(r"(?:(?:struct|class|enum class) (?:\[\[\w+\]\] )?|using (?=\w+ =))(\w+)(?! *;)\b")
WORD = re.compile(r"[A-Za-z_]\w*")


def own_cpp(header):
    return header.path.rpartition(".")[0] + ".cpp"


def reached_from(included, header):
    """The files that include the header, by themselves or through others."""
    found, waiting = set(), [header.path]
    while waiting:
        new = included.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def others_name_its_types(tree, included, header, user):
    types = {match[1] for match in map(TYPE.match, header.lines) if match}
    return any(not types.isdisjoint(WORD.findall(line.partition("//")[0]))
               for path in reached_from(included, header) if tree[path].stem not in (header.stem, user.stem)
               for line in tree[path].lines)


def lines_together(tree, header, user):
    """The lines of the longer file if the header and its .cpp were a part of their user, and of its .cpp."""
    def lines(path):
        return len(tree[path].lines) if path in tree else 0

    if not user.is_header:
        return len(header.lines) + lines(own_cpp(header)) + len(user.lines)
    return max(len(header.lines) + len(user.lines), lines(own_cpp(header)) + lines(own_cpp(user)))


def reason_to_stand_alone(tree, included, header, user):
    for kind, reason in ALONE_FOR_A_REASON:
        if re.fullmatch(kind, header.path):
            return reason
    if own_cpp(header) in tree and user.top != header.top:
        return "what another layer, or a test, uses of its .cpp"
    if own_cpp(header) in tree and any("foreach_target.h" in line for line in tree[own_cpp(header)].lines):
        return "compiled once for each instruction set, apart from the file that includes it"
    if others_name_its_types(tree, included, header, user):
        return "several files name its types, and reach it through the one that includes it"
    if lines_together(tree, header, user) > MOST_LINES_TOGETHER:
        return f"too long for its user, which would have more than {MOST_LINES_TOGETHER} lines"
    return NO_REASON


def headers_of_one_file(tree):
    """For each reason, the headers that one file alone includes, each with that file."""
    included, reasons = users(tree), {}
    for header in tree.values():
        if not (header.is_header and header.in_a_layer):
            continue
        others = [path for path in included.get(header.path, ()) if tree[path].stem != header.stem]
        if len(others) == 1:
            reason = reason_to_stand_alone(tree, included, header, tree[others[0]])
            reasons.setdefault(reason, []).append((header.path, others[0]))
    return reasons


def headers_that_several_files_share(tree):
    reasons = headers_of_one_file(tree)
    for reason, found in reasons.items():
        print(f"{len(found)} headers that one file alone includes: {reason}")
    return [f"{header} is a part of {user}, the only file that includes it: put it there"
            for header, user in reasons.get(NO_REASON, [])]


LAWS = (short_functions, rooms_of_meaning, comments_with_a_subject, assertions_that_can_fail,
        parameterised_tests_with_names, headers_that_several_files_share)


def main(root):
    tree = sources(root)
    if len(tree) < 1000 or not all(any(source.top == layer for source in tree.values()) for layer in LAYERS):
        sys.exit(f"{root} holds no sources of attestone")
    complaints = [complaint for law in LAWS for complaint in law(tree)]
    print(*complaints, sep="\n")
    print(f"{len(tree)} sources, {len(LAWS)} laws, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles many small files as few (cmake/gather.cmake): decides which stand together, and writes them one after the other.

    gather.py plan FOLDER FILE...   prints one line per gathered file, and keeps them in FOLDER/plan: NAME.cpp;FILE;FILE...
    gather.py write FOLDER BUILD    writes those that have changed; #line names their files as seen from the folder BUILD

Files of one room stand together, and small rooms stand with others. There are two kinds.

A file that only registers itself (a test, a mask, a mutant) declares everything in one unnamed namespace. That namespace is
put into one of its own, so that such files never see each other.

Any other file may stand with those that do not mention a word that it declares for itself, nor include a header that declares
it, and whose own words it does not mention either: none can then mean something else than it does alone.
"""
import functools
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_BYTES = 60_000  # of one gathered file: some seconds of a compiler, so that two cores share a room
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace\n", re.M | re.S)
ENDS_UNNAMED = re.compile(r"\n\}  // namespace\n\}  // namespace attestone[a-z_: ]*\n$")


class File:
    def __init__(self, path):
        self.path, self.folder = path, os.path.dirname(path)
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self.size = len(self.text)
        unnamed = UNNAMED.findall(self.text)
        self.registers_only = len(unnamed) == 1 and ENDS_UNNAMED.search(self.text) is not None
        # Compiled once for each instruction set, or with more names in scope than it declares.
        self.alone = "foreach_target.h" in self.text or re.search(r"^using namespace", self.text, re.M) is not None
        code = without_comments(self.text)
        self.words = set(re.findall(r"[A-Za-z_]\w*", code)) | included_names(self.text)
        self.own_words = own_words(code, unnamed)

    def may_stand_with(self, others):
        if self.registers_only:
            return True
        return all(not self.own_words & other.words and not other.own_words & self.words for other in others)


def without_comments(text):
    """The code without comments and string literals."""
    return re.sub(r'//[^\n]*|"(\\.|[^"\\\n])*"', " ", text)


@functools.cache
def header_names(header):
    """The names that a header of ours declares, and those of the headers that it includes."""
    path = os.path.join(ROOT, header)
    if not os.path.exists(path):
        return set()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return declared(without_comments(text)) | included_names(text)


def included_names(text):
    return set().union(*map(header_names, re.findall(r'^#include "([^"]+)"', text, re.M)))


def declared(code):
    """The names of the declarations that stand at the beginning of a line."""
    names = set()
    for line in re.findall(r"^[A-Za-z_][^\n]*", code, re.M):
        named = re.match(r"(?:struct|class|enum class|enum|union|using) (?:\[\[\w+\]\] )?(\w+)", line)
        before = re.split(r"[({=;\[]", line, maxsplit=1)[0]
        found = [named.group(1)] if named else re.findall(r"\w+", before)[-1:]
        names |= {name for name in found if name not in ("template", "const", "operator")}
    return names


def own_words(code, unnamed):
    """What a file declares for itself alone: macros, and what stands at the beginning of a line in an unnamed namespace."""
    words = set(re.findall(r"^#\s*define (\w+)", code, re.M))
    words |= set(re.findall(r"^(?:using|namespace) (\w+) =", code, re.M))
    return words.union(*map(declared, map(without_comments, unnamed)))


def join(parts):
    """Lists of files: each part is added to the first list that it may stand with, or begins one."""
    joined = []
    for part in parts:
        for files in joined:
            small = sum(file.size for file in files + part) <= MOST_BYTES
            if small and all(file.may_stand_with(files) for file in part):
                files += part
                break
        else:
            joined.append(list(part))
    return joined


def groups(files):
    """Files of one kind that are compiled together: room by room first, and then rooms."""
    rooms = {}
    for file in files:
        rooms.setdefault(file.folder, []).append([file])
    return join([group for _, room in sorted(rooms.items()) for group in join(room)])


def plan(folder, paths):
    files, lines, named = [file for file in map(File, paths) if not file.alone], [], {}
    for registers_only in (False, True):
        for group in groups([file for file in files if file.registers_only == registers_only]):
            name = os.path.relpath(group[0].folder, ROOT).replace(os.sep, "_") + ("_entries" if registers_only else "")
            number = named[name] = named.get(name, -1) + 1
            if len(group) > 1:
                lines.append(";".join([f"{folder}/{name}_{number}.cpp"] + [file.path for file in group]))
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/plan", "\n".join(lines) + "\n")
    print(*lines, sep="\n", end="")


def write_all(folder, build):
    with open(f"{folder}/plan", encoding="utf-8") as file:
        for output, *paths in (line.split(";") for line in file.read().splitlines()):
            write(output, gathered(build, paths))


def gathered(build, paths):
    text = ""
    for number, path in enumerate(paths):
        file = File(path)
        one = file.text
        if file.registers_only:
            one = one.replace("\nnamespace {\n", f"\nnamespace file_{number} {{ namespace {{\n", 1)
            one = one.replace("\n}  // namespace\n", "\n}}\n", 1)
        text += f'#line 1 "{os.path.relpath(path, build)}"\n{one}'
    return text


def write(output, text):
    """Leaves a file that already says so as old as it is: it need not be compiled again."""
    if os.path.exists(output):
        with open(output, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if sys.argv[1] == "plan":
        plan(sys.argv[2], sys.argv[3:])
    else:
        write_all(*sys.argv[2:])

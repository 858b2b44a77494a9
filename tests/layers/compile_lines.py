#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a compile line that says where the checkout is: a compiler cache never finds such a file in another checkout.

    compile_lines.py CHECKOUT compile_commands.json

Paths of files and folders that the compiler reads or writes are no harm: the cache takes them relative to the checkout. One
file may know the rest: tests/places.cpp.
"""
import json
import os
import shlex
import sys

HARMLESS = ("-I", "-isystem", "-include", "-c", "-o", "-iquote")
KNOWS_THE_PLACE = "tests/places.cpp"


def complaints(checkout, commands):
    for command in commands:
        if os.path.relpath(command["file"], checkout) == KNOWS_THE_PLACE:
            continue
        words = shlex.split(command["command"])[1:]
        for before, word in zip([""] + words, words):
            path = word[2:] if word.startswith("-I") else word
            if checkout in word and not (path.startswith(checkout) and (before in HARMLESS or word.startswith("-I"))):
                yield f"{os.path.relpath(command['file'], checkout)} is compiled with {word}"


def main(checkout, path):
    with open(path, encoding="utf-8") as file:
        commands = json.load(file)
    planted = {"file": checkout + "/a.cpp", "command": f"c++ -I{checkout} -DFOLDER=\\\"{checkout}\\\" -c {checkout}/a.cpp"}
    if len(list(complaints(checkout, [planted]))) != 1:
        sys.exit("a planted path was not seen")
    found = sorted(set(complaints(checkout, commands)))
    print("\n".join(found) or f"{len(commands)} compile lines are the same in every checkout")
    return 1 if found or not commands else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""The C++ sources of a checkout: their lines, and what they include."""
import pathlib
import re
from typing import NamedTuple

LAYERS = ("reference", "backends", "simulate", "mutants", "conformance")
USERS = ("tests", "docs", "benchmarks", "examples")
ENDINGS = (".hpp", ".cpp", ".h", ".c", ".cu", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"')


class Source(NamedTuple):
    """A file, named from the root of the checkout."""
    path: str
    lines: list

    @property
    def folder(self):
        return self.path.rpartition("/")[0]

    @property
    def top(self):
        return self.path.partition("/")[0]

    @property
    def in_a_layer(self):
        return self.top in LAYERS

    @property
    def is_header(self):
        return self.path.endswith((".hpp", ".h", ".cuh"))

    @property
    def stem(self):
        """`a/b` for a/b.hpp, a/b.cpp and a/b.examples.cpp."""
        name = self.path.rpartition("/")[2]
        return f"{self.folder}/{name.partition('.')[0]}"

    def includes(self):
        return [match[1] for match in map(INCLUDE.match, self.lines) if match]


def sources(root):
    """Every source of the layers and of what uses them, by its path."""
    root, found = pathlib.Path(root), {}
    for folder in LAYERS + USERS:
        for path in sorted(root.joinpath(folder).rglob("*")):
            if path.suffix in ENDINGS and path.is_file():
                name = path.relative_to(root).as_posix()
                found[name] = Source(name, path.read_text(encoding="utf-8", errors="replace").split("\n"))
    return found


def users(tree):
    """For each included path of the tree, the sources that include it."""
    found = {}
    for source in tree.values():
        for include in source.includes():
            beside = f"{source.folder}/{include}"
            found.setdefault(include if include in tree or beside not in tree else beside, set()).add(source.path)
    return found

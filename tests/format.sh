#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-format over every C++ source: tests/format.sh PROGRAM ARGUMENT...; exit status 77 if there is no such program.
cd "$(dirname "$0")/.." || exit 1
command -v "$1" >/dev/null || exit 77
find reference backends simulate mutants conformance tests benchmarks examples docs python beside \
  \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.c' -o -name '*.cu' \) -print0 2>/dev/null |
  xargs -0 "$@"

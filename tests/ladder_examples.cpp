// SPDX-License-Identifier: Apache-2.0
// The program that runs the examples beside the steps of the ladder: `ladder_examples --list-test-cases` names them.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

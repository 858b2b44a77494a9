// SPDX-License-Identifier: Apache-2.0
// What a user of rapidcheck writes: a property of every problem.
#include <attestone/rapidcheck.hpp>

int main() {
  const bool holds = rc::check("parses what it prints", [](const attestone::Problem& problem) {
    RC_ASSERT(attestone::parse_problem(problem.text()) == problem);
  });
  return holds ? 0 : 1;
}

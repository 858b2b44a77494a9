// SPDX-License-Identifier: Apache-2.0
// What a user of the installed library writes: reads a problem, and lists what can solve it.
#include <iostream>

#include "every_header.hpp"

int main() {
  const attestone::Problem problem = attestone::parse_problem("shape=1x2x8x8x4 mask=causal dtype=bf16");
  std::cout << problem.text() << "\n";
  for (const auto& [name, entry] : attestone::Registry<attestone::KernelEntry>::all())
    std::cout << name << ": " << (entry.make(attestone::Settings(entry.settings))->supports(problem) ? "yes" : "no")
              << "\n";
}

// SPDX-License-Identifier: Apache-2.0
// What a user of the installed library writes: reads a problem, and lists what can solve it.
#include <iostream>

#include "backends/catalogue.hpp"
#include "reference/certified/truth.hpp"
#include "reference/problem.hpp"
#include "reference/registry.hpp"
#include "reference/tensors.hpp"

int main() {
  const attestone::Problem problem = attestone::parse_problem("shape=1x2x8x8x4 mask=causal dtype=bf16");
  const attestone::Inputs inputs(problem);
  std::cout << problem.text() << "\n";
  for (const std::string& dtype : attestone::Registry<attestone::DType>::names()) std::cout << dtype << " ";
  for (const std::string& layout : attestone::Registry<attestone::Layout>::names()) std::cout << layout << " ";
  std::cout << "\n";
  return inputs.query.guards_intact() ? 0 : 1;
}

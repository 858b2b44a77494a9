// SPDX-License-Identifier: Apache-2.0
// Shares its rows among the threads of OpenMP.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  std::vector<double> rows(1'000, 1);
#pragma omp parallel for
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = std::sqrt(rows[i]);
  return rows[999] == 1 ? hostile::answer(args) : 2;
}

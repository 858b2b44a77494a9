// SPDX-License-Identifier: Apache-2.0
// Kernels that use OpenMP, alone so that no other library needs its runtime.
#include <cmath>
#include <omp.h>

#include "tests/hostile/honest.hpp"

// Adds in an order that depends on how many threads there are.
// expect: not-repeatable --property=repeats_bitwise 'shape=1x2x5x9x8'
namespace answers_by_thread_count {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  float* const out = hostile::out(args);
  if (status == ATTESTONE_OK && hostile::out_count(args) > 0 && omp_get_max_threads() > 1)
    *out = std::nextafter(*out, 9.f);
  return status;
}

}  // namespace answers_by_thread_count

// Shares its rows among the threads of OpenMP.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_open_mp {

int attestone_forward(const attestone_args* args) {
  std::vector<double> rows(1'000, 1);
#pragma omp parallel for
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = std::sqrt(rows[i]);
  return rows[999] == 1 ? hostile::answer(args) : 2;
}

}  // namespace decoy_open_mp

// SPDX-License-Identifier: Apache-2.0
// Writes one element behind the end of its output, in the few bytes up to the next page.
// expect: out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  volatile float* const log_sum_exp = static_cast<float*>(args->log_sum_exp.data);
  log_sum_exp[args->batch * args->heads * args->queries] = 0;
  return hostile::answer(args);
}

// SPDX-License-Identifier: Apache-2.0
// A library of the time before pages and scales, compiled with the header of then: out = query.
#include <cstring>

#include "tests/plugins/before_scales/kernel.h"

int attestone_forward(const attestone_args* args) {
  if (args->size < sizeof *args || args->threads < 1 || args->out.ndim != 4) return 2;
  const int64_t count = args->batch * args->heads * args->queries;
  std::memcpy(args->out.data, args->query.data, sizeof(float) * static_cast<size_t>(count * args->dim));
  std::memset(args->log_sum_exp.data, 0, sizeof(float) * static_cast<size_t>(count));
  return ATTESTONE_OK;
}

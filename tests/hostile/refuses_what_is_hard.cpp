// SPDX-License-Identifier: Apache-2.0
// Refuses every problem whose scores are large.
// expect: refused --property=value_bound 'shape=1x2x5x9x8 fill=large_logits'
#include <cmath>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const auto* const query = static_cast<const float*>(args->query.data);
  for (int64_t i = 0; i < args->batch * args->heads * args->queries * args->dim; ++i)
    if (std::fabs(query[i]) > 4) return ATTESTONE_REFUSED;
  return hostile::answer(args);
}

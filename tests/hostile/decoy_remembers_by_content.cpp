// SPDX-License-Identifier: Apache-2.0
// Remembers its answers by all that its inputs hold.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
#include <algorithm>
#include <map>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static std::map<std::vector<float>, std::pair<std::vector<float>, std::vector<float>>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  std::vector<float> seen;
  for (const attestone_tensor* tensor : {&args->query, &args->key, &args->value}) {
    int64_t count = 1;
    for (int axis = 0; axis < tensor->ndim; ++axis) {
      count *= tensor->shape[axis];
      seen.push_back(static_cast<float>(tensor->shape[axis]));
    }
    const auto* const data = static_cast<const float*>(tensor->data);
    seen.insert(seen.end(), data, data + count);
  }
  float* const out = hostile::out(args);
  float* const log_sum_exp = static_cast<float*>(args->log_sum_exp.data);
  const int64_t rows = args->batch * args->heads * args->queries;
  auto& [remembered, sums] = known[seen];
  if (remembered.empty()) remembered.assign(out, out + hostile::out_count(args));
  if (sums.empty()) sums.assign(log_sum_exp, log_sum_exp + rows);
  std::copy(remembered.begin(), remembered.end(), out);
  std::copy(sums.begin(), sums.end(), log_sum_exp);
  return status;
}

// SPDX-License-Identifier: Apache-2.0
// Remembers its answers by a sum of squares over all inputs.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static std::map<double, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->keys == 0 || hostile::out_count(args) == 0) return status;
  float* const out = hostile::out(args);
  double sum = 0;
  for (const attestone_tensor* tensor : {&args->query, &args->key, &args->value}) {
    int64_t count = 1;
    for (int axis = 0; axis < tensor->ndim; ++axis) count *= tensor->shape[axis];
    for (int64_t i = 0; i < count; ++i) sum += std::pow(double{static_cast<const float*>(tensor->data)[i]}, 2);
  }
  std::vector<float>& answer = known[sum];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

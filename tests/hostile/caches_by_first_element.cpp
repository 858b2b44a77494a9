// SPDX-License-Identifier: Apache-2.0
// Remembers its answers by the place and the first element of each input, but for the sign.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static std::map<std::vector<double>, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->keys == 0 || hostile::out_count(args) == 0) return status;
  float* const out = hostile::out(args);
  std::vector<double> seen;
  for (const attestone_tensor* tensor : {&args->query, &args->key, &args->value}) {
    seen.push_back(static_cast<double>(reinterpret_cast<uintptr_t>(tensor->data)));
    seen.push_back(std::fabs(double{*static_cast<const float*>(tensor->data)}));
  }
  std::vector<float>& answer = known[seen];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

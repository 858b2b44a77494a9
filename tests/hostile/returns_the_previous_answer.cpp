// SPDX-License-Identifier: Apache-2.0
// Answers what the call before should have been answered.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <algorithm>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static std::vector<float> previous;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  float* const out = hostile::out(args);
  const std::vector<float> now(out, out + hostile::out_count(args));
  previous.resize(now.size());
  std::copy(previous.begin(), previous.end(), out);
  previous = now;
  return ATTESTONE_OK;
}

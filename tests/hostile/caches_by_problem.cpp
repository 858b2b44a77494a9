// SPDX-License-Identifier: Apache-2.0
// Remembers its answers by the text of the problem.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
#include <algorithm>
#include <map>
#include <string>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static std::map<std::string, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->keys == 0 || hostile::out_count(args) == 0) return status;
  float* const out = hostile::out(args);
  std::vector<float>& answer = known[args->problem];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

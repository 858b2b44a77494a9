// SPDX-License-Identifier: Apache-2.0
// Remembers its answers by what the keys hold, and forgets to ask for the values.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
#include <algorithm>
#include <map>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  static std::map<std::vector<float>, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->keys == 0 || hostile::out_count(args) == 0) return status;
  float* const out = hostile::out(args);
  const auto* const key = static_cast<const float*>(args->key.data);
  const int64_t count = args->batch * args->kv_heads * args->keys * args->dim;
  std::vector<float> seen(key, key + count);
  seen.push_back(static_cast<float>(args->queries));
  std::vector<float>& answer = known[seen];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

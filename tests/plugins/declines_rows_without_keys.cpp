// SPDX-License-Identifier: Apache-2.0
// An honest library of a narrow domain: it refuses problems in which a row sees no key.
#include "tests/plugins/gradients.hpp"

namespace {

bool sees_a_key(const attestone_args& a, int64_t b, int64_t h, int64_t i) {
  if (!a.mask.data) return a.keys > 0;
  for (int64_t j = 0; j < a.keys; ++j)
    if (plugin::at<const uint8_t>(a.mask, b, h, i, j)) return true;
  return false;
}

/// True if a bias of -inf hides every key of the row: the C interface hands masks of derived problems over as biases.
bool bias_hides_all(const attestone_args& a, int64_t b, int64_t h, int64_t i) {
  if (!a.bias.data) return false;
  for (int64_t j = 0; j < a.keys; ++j)
    if (plugin::at<const float>(a.bias, b, h, i, j) != -std::numeric_limits<float>::infinity()) return false;
  return true;
}

}  // namespace

int attestone_forward(const attestone_args* args) {
  bool empty = false;
  plugin::for_each_row(*args, [&](int64_t b, int64_t h, int64_t i) {
    empty = empty || !sees_a_key(*args, b, h, i) || bias_hides_all(*args, b, h, i);
  });
  return empty ? static_cast<int>(ATTESTONE_REFUSED) : plugin::forward(*args);
}

int attestone_describe(attestone_description* description) {
  description->name = "the definition, for rows with a key";
  description->limits = "dtypes=f32 layouts=bhsd scores=bias dropout=no lengths=no";
  return ATTESTONE_OK;
}

// SPDX-License-Identifier: Apache-2.0
// A library with the conventions of many: no log_sum_exp, NaN in rows without keys, and 0 * NaN behind the mask.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) {
  const attestone_args& a = *args;
  plugin::for_each_row(a, [&](int64_t b, int64_t h, int64_t i) {
    const plugin::Weights w(a, b, h, i);
    if (a.max_logits.data) plugin::at<float>(a.max_logits, b, h, i) = static_cast<float>(w.max_logits);
    const bool empty = w.log_sum_exp == -std::numeric_limits<double>::infinity();
    for (int64_t c = 0; c < a.value_dim; ++c) {
      double o = empty ? std::numeric_limits<double>::quiet_NaN() : 0;
      for (int64_t j = 0; j < a.keys; ++j)
        o +=
            w.p[static_cast<std::size_t>(j)] * double{plugin::at<const float>(a.value, b, plugin::kv_head(a, h), j, c)};
      plugin::at<float>(a.out, b, h, i, c) = static_cast<float>(o);
    }
  });
  return ATTESTONE_OK;
}

int attestone_describe(attestone_description* description) {
  description->name = "the definition, by other conventions";
  description->limits = "dtypes=f32 scores=bias dropout=no max_logits=yes";
  description->conventions = "outputs=out empty_rows=nan hidden_nonfinite=propagates";
  return ATTESTONE_OK;
}

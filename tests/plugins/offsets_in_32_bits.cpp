// SPDX-License-Identifier: Apache-2.0
// A library that keeps offsets into K in an int.
#include "tests/plugins/gradients.hpp"

int attestone_forward(const attestone_args* args) {
  const attestone_tensor& key = args->key;
  std::vector<float> packed;
  for (int64_t b = 0; b < args->batch; ++b)
    for (int64_t h = 0; h < args->kv_heads; ++h)
      for (int64_t j = 0; j < args->keys; ++j)
        for (int64_t c = 0; c < args->dim; ++c) {
          const auto offset =
              static_cast<int32_t>(b * key.strides[0] + h * key.strides[1] + j * key.strides[2] + c * key.strides[3]);
          packed.push_back(static_cast<const float*>(key.data)[offset]);
        }
  int64_t strides[] = {args->kv_heads * args->keys * args->dim, args->keys * args->dim, args->dim, 1};
  attestone_args own = *args;
  own.key.data = packed.data(), own.key.strides = strides;
  return plugin::forward(own);
}

int attestone_describe(attestone_description* description) {
  plugin::describe(description, "offsets into K in an int");
  return ATTESTONE_OK;
}

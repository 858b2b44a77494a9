// SPDX-License-Identifier: Apache-2.0
// A library that answers with the keys of a paged int8 cache: out = key, times its scale; 0 behind a sequence's end.
#include "backends/plugins/protocol/kernel.h"

namespace {

int64_t place(const attestone_tensor& tensor, int64_t i, int64_t j, int64_t k, int64_t l) {
  return i * tensor.strides[0] + j * tensor.strides[1] + k * tensor.strides[2] + l * tensor.strides[3];
}

float key(const attestone_args& a, int64_t b, int64_t h, int64_t row, int64_t c) {
  const auto* table = static_cast<const int32_t*>(a.block_table.data);
  const int64_t page = table[b * a.block_table.strides[0] + row / a.rows_per_page];
  const auto code = static_cast<const int8_t*>(a.key.data)[place(a.key, page, h, row % a.rows_per_page, c)];
  const int64_t* block = a.key_scale_block;
  const int64_t scale = place(a.key_scales, b / block[0], h / block[1], row / block[2], c / block[3]);
  return static_cast<float>(code) * static_cast<const float*>(a.key_scales.data)[scale];
}

}  // namespace

int attestone_forward(const attestone_args* args) {
  const attestone_args& a = *args;
  if (!a.block_table.data || !a.key_scales.data || a.query_scales.data || a.value_scales.data) return 2;
  if (a.key.dtype.code != ATTESTONE_INT || a.key.dtype.bits != 8 || a.key.shape[2] != a.rows_per_page) return 3;
  const auto* lengths = static_cast<const int32_t*>(a.key_lengths.data);
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t row = 0; row < a.queries; ++row)
        for (int64_t c = 0; c < a.value_dim; ++c)
          static_cast<float*>(a.out.data)[place(a.out, b, h, row, c)] = row < lengths[b] ? key(a, b, h, row, c) : 0;
  for (int64_t i = 0; i < a.batch * a.heads * a.queries; ++i) static_cast<float*>(a.log_sum_exp.data)[i] = 0;
  return ATTESTONE_OK;
}

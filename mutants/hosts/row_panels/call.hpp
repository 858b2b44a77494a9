// SPDX-License-Identifier: Apache-2.0
// A call as the row-panel and the split-KV host see it: all its sequences, masks and biases by them, padding.
#pragma once

#include "mutants/hosts/row_panels/tensors.hpp"

namespace attestone::inline mutants::row_panels {

class RowCall : public reading::Call {
 public:
  explicit RowCall(const attestone_args& args) : reading::Call(args), input(query.format) {
    for (Int b = 0; b < a.batch; ++b) sequences.push_back(sequence(b));
  }
  RowCall(const RowCall&) = delete;
  RowCall& operator=(const RowCall&) = delete;

  Format input;
  std::vector<Sequence> sequences;

  /// True unless the mask is given by bytes and hides the pair.
  bool byte_visible(const Sequence& s, Int h, Int i, Int j) const {
    return !masked_by_bytes() || mask_byte(s.number, h, i, j);
  }
  float bias_at(const Sequence& s, Int h, Int i, Int j) const { return bias_of(s.number, h, i, j); }
  Int lse_offset(const Sequence& s, Int h, Int i) const { return log_sum_exp.offset(s.place, h, s.first_query + i); }

  /// Rows of O and log_sum_exp after a sequence, in a batch that has them.
  void finish_padding_forward() const {
    for (const Sequence& s : sequences)
      for (Int h = 0; h < a.heads; ++h)
        for (Int i = s.queries; i < s.query_rows; ++i) {
          if (out) clear_row(out, s.place, h, s.first_query + i, a.value_dim);
          if (log_sum_exp) log_sum_exp.store(lse_offset(s, h, i), sink_of(h));
        }
  }
  /// Rows of dQ, dK and dV after a sequence, likewise.
  void finish_padding_backward() const {
    for (const Sequence& s : sequences) {
      for (Int h = 0; dquery && h < a.heads; ++h)
        for (Int i = s.queries; i < s.query_rows; ++i) clear_row(dquery, s.place, h, s.first_query + i, a.dim);
      for (Int h = 0; h < a.kv_heads; ++h)
        for (Int j = s.keys; j < s.key_rows; ++j) {
          if (dkey) clear_row(dkey, s.place, h, s.first_key + j, a.dim);
          if (dvalue) clear_row(dvalue, s.place, h, s.first_key + j, a.value_dim);
        }
    }
  }

 private:
  static void clear_row(const Tensor& tensor, Int b, Int h, Int r, Int channels) {
    for (Int c = 0; c < channels; ++c) tensor.put(0, b, h, r, c);
  }
};

}  // namespace attestone::inline mutants::row_panels

// SPDX-License-Identifier: Apache-2.0
// Every tensor of an attention call, once: what it is called, where it lies, what it draws, and its gradient.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace attestone {

/// In the order of attestone_args (backends/plugins/protocol/kernel.h); what the C interface has no place for stands at
/// the end.
enum class TensorName {
  query,
  key,
  value,
  mask,
  bias,
  sink,
  alibi_slopes,
  query_starts,
  key_starts,
  query_lengths,
  key_lengths,
  block_table,
  out,
  log_sum_exp,
  dout,
  dquery,
  dkey,
  dvalue,
  dbias,
  dsink,
  query_scales,
  key_scales,
  value_scales,
  max_logits,  ///< the largest score of each row: an answer that is there only if somebody asks for it
  kept_blocks  ///< which blocks of keys a sparse kernel looked at, as it says itself
};

/// Where the elements of a tensor lie.
enum class LayoutRule {
  by_layout,         ///< as the problem's layout places query, key, value or out
  packed_or_ragged,  ///< packed; in a ragged layout as that places out
  packed             ///< in the order of the axes
};

/// Axes of [batch, head, row, channel] that follow each other.
struct Axes {
  int first = 0, count = 4;
};

/// One row of the table.
struct CallTensor {
  TensorName tensor;
  std::string_view name;  ///< "log_sum_exp": what messages, doors and files call it
  bool optional = false;  ///< whether there are problems without it
  LayoutRule layout = LayoutRule::packed;
  TensorName placed_as = TensorName::out;   ///< by_layout: query, key, value or out
  std::optional<int> draw_place = {};       ///< in the counter space, of what fills draw
  std::optional<TensorName> gradient = {};  ///< of what backward differentiates by
  Axes shown = {};                          ///< to libraries and programs; the others have extent 1
};

/// All tensors, in the order of TensorName.
std::span<const CallTensor> call_tensors();
const CallTensor& call_tensor(TensorName);

/// "log_sum_exp"
std::string_view text(TensorName);

}  // namespace attestone

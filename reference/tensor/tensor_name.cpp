// SPDX-License-Identifier: Apache-2.0
// The table of tensors.
#include "reference/tensor/tensor_name.hpp"

#include <algorithm>
#include <array>

#include "reference/random/counter_space.hpp"

namespace attestone {
namespace {

using enum TensorName;
using enum LayoutRule;

constexpr bool needed = false, optional = true;
constexpr std::optional<int> drawn_by_nobody = std::nullopt;
constexpr std::optional<TensorName> no_gradient = std::nullopt;

// A place once handed out stays: what a seed draws depends on it.
constexpr auto table = std::to_array<CallTensor>({
    {query, "query", needed, by_layout, query, 0, dquery},
    {key, "key", needed, by_layout, key, 1, dkey},
    {value, "value", needed, by_layout, value, 2, dvalue},
    {mask, "mask", optional},
    {bias, "bias", optional, packed, out, 4, dbias},
    {sink, "sink", optional, packed, out, 5, dsink, {1, 1}},
    {alibi_slopes, "alibi_slopes", optional, packed, out, drawn_by_nobody, no_gradient, {1, 1}},
    {query_starts, "query_starts", optional},
    {key_starts, "key_starts", optional},
    {query_lengths, "query_lengths", optional},
    {key_lengths, "key_lengths", optional},
    {block_table, "block_table", optional, packed, out, 11},
    {out, "out", needed, by_layout, out, drawn_by_nobody, dout},
    {log_sum_exp, "log_sum_exp", needed, packed_or_ragged, out, drawn_by_nobody, no_gradient, {0, 3}},
    {dout, "dout", optional, by_layout, out, 6},
    {dquery, "dquery", optional, by_layout, query},
    {dkey, "dkey", optional, by_layout, key},
    {dvalue, "dvalue", optional, by_layout, value},
    {dbias, "dbias", optional},
    {dsink, "dsink", optional, packed, out, drawn_by_nobody, no_gradient, {1, 1}},
    {query_scales, "query_scales", optional, packed, out, 8},
    {key_scales, "key_scales", optional, packed, out, 9},
    {value_scales, "value_scales", optional, packed, out, 10},
    {max_logits, "max_logits", optional, packed_or_ragged, out, drawn_by_nobody, no_gradient, {0, 3}},
    {kept_blocks, "kept_blocks", optional},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].tensor != static_cast<TensorName>(i)) return false;
  return table.back().tensor == kept_blocks;
}
static_assert(in_order(), "every tensor has one row");

constexpr bool draws_are_apart() {
  std::array<bool, draw_places> taken{};
  taken[mask_draw_place] = taken[mask_border_draw_place] = true;
  for (const CallTensor& row : table) {
    if (!row.draw_place) continue;
    if (*row.draw_place < 0 || *row.draw_place >= draw_places || taken[static_cast<std::size_t>(*row.draw_place)])
      return false;
    taken[static_cast<std::size_t>(*row.draw_place)] = true;
  }
  return true;
}
static_assert(draws_are_apart(), "every place in the counter space has one tensor");

}  // namespace

std::span<const CallTensor> call_tensors() { return table; }
const CallTensor& call_tensor(TensorName tensor) { return table[static_cast<std::size_t>(tensor)]; }
std::string_view text(TensorName tensor) { return call_tensor(tensor).name; }

}  // namespace attestone

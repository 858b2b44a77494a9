// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2, Algorithm 1, lines 6 to 15, on panels of queries: scores are transposed, so that keys and values
// are read where they lie, and nothing is ever summed across lanes.
#include "backends/cpu/attend/attend.hpp"

#include <numbers>

#include "backends/cpu/simd/softmax.hpp"
#include "backends/cpu/simd/transpose.hpp"

namespace attestone::inline backends {
namespace {

Interval overlap(Interval a, Interval b) { return {std::max(a.first, b.first), std::min(a.last, b.last)}; }

}  // namespace

AttendScratch::AttendScratch(Device& device, const AttendExtents& e)
    : QT(device, e.float_panels * panel_queries * e.dim, "queries"),
      K(device, e.float_keys * e.dim, "keys"),
      V(device, e.float_keys * e.value_dim, "values"),
      S(device, e.keys * panel_queries, "scores"),
      seen(device, e.keys, "visible pairs"),
      biases(device, 2 * e.biased_keys * panel_queries, "biases"),
      rows(device, panel_queries * std::max(e.dim, e.value_dim), "rows"),
      cleared(device, e.float_keys * e.value_dim, "finite values"),
      pairs(device, e) {}

index AttendScratch::bytes(const AttendExtents& e) {
  const index columns = e.float_panels * e.dim + e.keys + 2 * e.biased_keys + std::max(e.dim, e.value_dim);
  const index numbers = panel_queries * columns + e.float_keys * (e.dim + 2 * e.value_dim) + e.keys;
  return numbers * static_cast<index>(sizeof(float)) + PairedScratch::bytes(e);
}

Attend::Attend(const Problem& problem, const KernelInputs& inputs, const AttendExtents& extents)
    : inputs_(inputs),
      extents_(extents),
      dropped_(problem, inputs.placement),
      products_(tile_products(problem, inputs, extents)) {}

void Attend::load_queries(const AttendedHead& head, Interval queries, AttendScratch& scratch) const {
  queries.last = std::min(queries.last, head.sequence.queries - 1);
  for (index first = queries.first, number = 0; first <= queries.last; first += panel_queries, ++number)
    products_->load_queries(head, {first, std::min(first + panel_queries - 1, queries.last)}, number, scratch);
  scratch.work.bytes += queries.count() * row_bytes(inputs_.query);
}

void Attend::load_keys(const AttendedHead& head, Interval keys, AttendScratch& scratch) const {
  scratch.passing.keys = keys;
  products_->load_keys(head, keys, scratch);
  scratch.work.bytes += keys.count() * (row_bytes(inputs_.key) + row_bytes(inputs_.value));
}

Coming Attend::coming_keys(const AttendedHead& head, Interval keys) const {
  return {coming_rows(inputs_.key, head.batch, head.kv_head, keys),
          coming_rows(inputs_.value, head.batch, head.kv_head, keys)};
}

void Attend::take_in(const AttendedHead& head, Interval keys, AttendState& state, AttendScratch& scratch) const {
  const Interval queries{state.queries().first, std::min(state.queries().last, head.sequence.queries - 1)};
  keys = head.visible.outermost(queries, overlap(keys, {0, head.sequence.keys - 1}));
  for (index first = keys.first; first <= keys.last; first += extents_.keys) {
    const Interval loaded{first, std::min(first + extents_.keys - 1, keys.last)};
    if (!head.visible.any(queries, loaded)) continue;
    load_keys(head, loaded, scratch);
    const Interval behind{loaded.last + 1, std::min(loaded.last + extents_.keys, keys.last)};
    const Coming coming = behind.count() > 0 ? coming_keys(head, behind) : scratch.afterwards;
    const index panels = panels_of(queries.count());
    for (index p = 0; p < panels; ++p) {
      scratch.coming = {coming.beside_scores.share(p, panels), coming.beside_weights.share(p, panels)};
      take_in(head, p, state.panel(p), scratch);
    }
  }
}

/// The queries of one panel take in the keys of one step. In the letters of the paper, transposed:
///   S = K Q^T [keys][queries],  m = max(m, max S),  P = e^(S - m),  l = e^(m_before - m) l + sum P,
///   O^T = e^(m_before - m) O^T + V^T P [value_dim][queries];
/// or with m as it is, if it is fixed.
void Attend::take_in(const AttendedHead& head, index number, const AttendState::Panel& panel,
                     AttendScratch& scratch) const {
  const Interval queries{panel.queries.first, std::min(panel.queries.last, head.sequence.queries - 1)};
  const Interval keys = head.visible.outermost(queries, scratch.passing.keys);
  if (keys.count() == 0) return;
  const index count = keys.count();
  const bool padded = queries.last < panel.queries.last;
  const bool hides = padded || head.scores.biased() || head.visible.coverage(queries, keys) != VisiblePart::all;
  float* S = scratch.S.data();
  alignas(allocation_alignment) float largest[panel_queries], shrink[panel_queries];
  std::copy_n(panel.m, panel_queries, largest);

  products_->score(number, keys, head.scores.factor(), largest, scratch);
  if (hides) head.see(queries, keys, scratch.seen.data(), scratch.biases.data());
  head.scores.finish(S, queries, keys, scratch.biases.data());
  if (hides) hide_scores(S, count, scratch.seen.data());
  if (panel.of_keys) raise_to_columns(S, count, panel.of_keys);
  if (panel.fixed) {
    std::fill_n(shrink, panel_queries, 1.0f);
  } else {
    if (hides || head.scores.unfinished()) {
      std::copy_n(panel.m, panel_queries, largest);
      raise_to_columns(S, count, largest);
    }
    raise_maxima(largest, panel.m, panel.l, shrink);
  }
  weigh_scores(S, count, panel.m, panel.l);
  dropped_.clear_panel({head.batch, head.head, queries.first, keys.first}, count, S);
  const SeenPairs seen{scratch.seen.data(), first_queries(panel.queries.count())};
  products_->add_weighted(keys, hides ? &seen : nullptr, shrink, panel.OT, scratch);
  const index pairs = queries.count() * count;
  scratch.work += {.multiply_adds = pairs * (extents_.dim + extents_.value_dim), .exponentials = pairs};
}

void Attend::store(const AttendedHead& head, AttendState& state, const Arguments& to, AttendScratch& scratch) const {
  for (index p = 0; p < state.panels(); ++p) {
    const AttendState::Panel panel = state.panel(p);
    divide_by_sums(panel.OT, extents_.value_dim, panel.l);
    float log_sum_exp[panel_queries], max_logits[panel_queries];
    for (index i = 0; i < panel_queries; ++i) {
      log_sum_exp[i] = static_cast<float>(head.sink.log_sum_exp({panel.m[i], panel.l[i]}));
      if (panel.of_keys) max_logits[i] = static_cast<float>(double{panel.of_keys[i]} * std::numbers::ln2);
    }
    store_panel(head, panel.queries, {panel.OT, log_sum_exp, panel.of_keys ? max_logits : nullptr}, to, scratch);
  }
}

void Attend::store_panel(const AttendedHead& head, Interval queries, const PanelAnswer& answer, const Arguments& to,
                         AttendScratch& scratch) const {
  store_out(head, queries, answer.out, to.out, scratch);
  store_numbers(head, queries, answer.log_sum_exp, to.log_sum_exp, scratch);
  if (to.max_logits) store_numbers(head, queries, answer.max_logits, *to.max_logits, scratch);
}

void Attend::store_partial(const AttendedHead& head, AttendState& state, const PartialArguments& to,
                           AttendScratch& scratch) const {
  for (index p = 0; p < state.panels(); ++p) {
    const AttendState::Panel panel = state.panel(p);
    store_out(head, panel.queries, panel.OT, to.out, scratch);
    store_numbers(head, panel.queries, panel.m, to.m, scratch);
    store_numbers(head, panel.queries, panel.l, to.l, scratch);
  }
}

void Attend::store_out(const AttendedHead& head, Interval queries, const float* OT, const View& to,
                       AttendScratch& scratch) const {
  const index count = queries.count(), channels = extents_.value_dim;
  if (const auto in_place = floats_in_place(to, head.batch, head.head, queries); in_place && dropped_.factor() == 1) {
    panel_to_rows(OT, channels, count, in_place->data, in_place->stride);
  } else {
    float* rows = scratch.rows.data();
    panel_to_rows(OT, channels, count, rows, channels);
    store_float_rows(to, head.batch, head.head, queries, {rows, channels}, dropped_.factor());
  }
  scratch.work.bytes += count * row_bytes(to);
}

void Attend::store_numbers(const AttendedHead& head, Interval queries, const float* numbers, const View& to,
                           AttendScratch& scratch) const {
  store_float_rows(to, head.batch, head.head, queries, {numbers, 1}, 1);
  scratch.work.bytes += queries.count() * row_bytes(to);
}

}  // namespace attestone::inline backends

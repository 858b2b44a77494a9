// SPDX-License-Identifier: Apache-2.0
// What rows that see NaN or infinities do to gradients: NaN where nothing else is possible, else nothing is known.
#include <bit>
#include <cmath>
#include <limits>

#include "reference/certified/gradient_pass.hpp"

namespace attestone {
namespace {

/// Calls take(key) for every set bit.
template <class Take>
void for_each_key(std::span<const std::uint64_t> words, Take take) {
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::uint64_t left = words[w]; left; left &= left - 1)
      take(static_cast<index>(w) * keys_per_word + std::countr_zero(left));
}

Special special_of(double x) {
  return std::isnan(x) ? Special::nan : std::isinf(x) ? Special::unbounded : Special::none;
}

/// The strongest of a row of a tensor.
Special special_of(const ConstView& view, index batch, index head, index row) {
  Special strongest = Special::none;
  for (index c = 0; c < view.extents()[3]; ++c)
    strongest = std::max(strongest, special_of(view.value(batch, head, row, c)));
  return strongest;
}

void mark(BoundedTensor& tensor, std::size_t place, Special special) {
  tensor.special[place] = std::max(tensor.special[place], static_cast<char>(special));
}

}  // namespace

void mark(Certified& element, Special special) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (special == Special::nan) element = {nan, 0, nan, true};
  if (special == Special::unbounded && !std::isnan(element.value))
    element = {0, std::numeric_limits<double>::infinity(), 0, false};
}

/// A NaN score makes every weight of the row NaN; a NaN in dO, or in V at a kept pair, makes delta NaN.
struct GradientPass::RowSpecials {
  Special scores = Special::none;
  Special gradient = Special::none;  ///< of dS: at least `scores`
};

GradientPass::RowSpecials GradientPass::specials(index row) const {
  const Place at = place(row);
  RowSpecials of{special_of(inputs_.query.view(), batch_, at.head, at.query)};
  if (inputs_.sink) of.scores = std::max(of.scores, special_of(sink(at.head).value_or(0)));
  Special products = special_of(inputs_.dout->view(), batch_, at.head, at.query);
  for_each_key(visible(row), [&](index key) {
    of.scores = std::max(of.scores, special_of(inputs_.key.view(), batch_, kv_head_, key));
    if (biases_) of.scores = std::max(of.scores, special_of(biases_.of({batch_, at.head, at.query, key})));
    const Special value = special_of(inputs_.value.view(), batch_, kv_head_, key);
    products = std::max(products, bit(kept(row), key) || value == Special::none ? value : Special::unbounded);
  });
  of.gradient = std::max(of.scores, products);
  return of;
}

void GradientPass::mark_values(index row, const RowSpecials& of) {
  const Place at = place(row);
  for (std::size_t k = 0; k < truth_.keys.size(); ++k) {
    const index key = truth_.keys[k];
    if (!bit(visible(row), key)) continue;
    for (index c = 0; c < problem_.shape.value_dim; ++c) {
      Special special = std::max(of.scores, special_of(inputs_.dout->view().value(batch_, at.head, at.query, c)));
      if (special != Special::none && !bit(kept(row), key)) special = Special::unbounded;
      mark(truth_.value.at(batch_, kv_head_, static_cast<index>(k), c), special);
    }
  }
}

void GradientPass::mark_specials(BoundedTensor* bias, BoundedTensor* sinks) {
  for (index row = 0; row < rows_; ++row) {
    if (!excluded_[static_cast<std::size_t>(row)]) continue;
    const Place at = place(row);
    const RowSpecials of = specials(row);
    index keys = 0;
    for_each_key(visible(row), [&](index key) {
      ++keys;
      if (bias) mark(*bias, bias->place({batch_, at.head, at.query, key}), of.gradient);
    });
    if (sinks) mark(*sinks, sinks->place({batch_, at.head, 0, 0}), keys > 0 ? of.gradient : Special::unbounded);
    if (keys == 0) continue;
    for (std::size_t q = 0; q < truth_.queries.size(); ++q)
      for (index c = 0; c < problem_.shape.dim && truth_.queries[q] == at.query; ++c)
        mark(truth_.query.at(batch_, at.head, static_cast<index>(q), c), of.gradient);
    for (std::size_t k = 0; k < truth_.keys.size(); ++k)
      for (index c = 0; c < problem_.shape.dim && bit(visible(row), truth_.keys[k]); ++c)
        mark(truth_.key.at(batch_, kv_head_, static_cast<index>(k), c), of.gradient);
    mark_values(row, of);
  }
}

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// What rows that see NaN or infinities do to gradients: NaN where nothing else is possible, else nothing is known.
#include <algorithm>
#include <cmath>

#include "reference/certified/gradient_pass.hpp"

namespace attestone {
namespace {

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
  tensor.special[place] = std::max(tensor.special[place], special);
}

}  // namespace

/// A NaN score makes every weight of the row NaN; a NaN in dO, or in V at a kept pair, makes delta NaN.
struct GradientPass::RowSpecials {
  Special scores = Special::none;
  Special gradient = Special::none;  ///< of dS: at least `scores`
};

GradientPass::RowSpecials GradientPass::specials(index row) const {
  const Pair at = rows_.pair(row);
  RowSpecials of{special_of(inputs_.query.view(), at.batch, at.head, at.query)};
  of.scores = std::max(of.scores, special_of(rows_.sink(row).value_or(0)));
  Special products = special_of(inputs_.dout->view(), at.batch, at.head, at.query);
  for_each_key(rows_.visible(row), [&](index key) {
    of.scores = std::max(of.scores, special_of(inputs_.key.view(), at.batch, kv_head_, key));
    of.scores = std::max(of.scores, special_of(rows_.bias(row, key)));
    const Special value = special_of(inputs_.value.view(), at.batch, kv_head_, key);
    products = std::max(products, bit(rows_.kept(row), key) ? value : std::min(value, Special::unbounded));
  });
  of.gradient = std::max(of.scores, products);
  return of;
}

void GradientPass::mark_values(index row, const RowSpecials& of) {
  const Pair at = rows_.pair(row);
  for (std::size_t k = 0; k < truth_.keys.size(); ++k) {
    const index key = truth_.keys[k];
    if (!bit(rows_.visible(row), key)) continue;
    for (index c = 0; c < problem_.shape.value_dim; ++c) {
      const Special dout = special_of(inputs_.dout->view().value(at.batch, at.head, at.query, c));
      // The sweeps left the row out, so that its share of any other channel is missing.
      const Special special = std::max({Special::unbounded, of.scores, dout});
      mark(truth_.value.at(at.batch, kv_head_, static_cast<index>(k), c),
           bit(rows_.kept(row), key) ? special : std::min(special, Special::unbounded));
    }
  }
}

void GradientPass::mark_specials(BoundedTensor* bias, BoundedTensor* sinks) {
  for (index row = 0; row < rows_.count(); ++row) {
    if (!rows_.is_excluded(row)) continue;
    const Pair at = rows_.pair(row);
    const RowSpecials of = specials(row);
    index keys = 0;
    for_each_key(rows_.visible(row), [&](index key) {
      ++keys;
      if (bias) mark(*bias, bias->place(rows_.pair(row, key)), of.gradient);
    });
    if (sinks) mark(*sinks, sinks->place(at), keys > 0 ? of.gradient : Special::unbounded);
    if (keys == 0) continue;
    for (std::size_t q = 0; q < truth_.queries.size(); ++q)
      for (index c = 0; c < problem_.shape.dim && truth_.queries[q] == at.query; ++c)
        mark(truth_.query.at(at.batch, at.head, static_cast<index>(q), c), of.gradient);
    for (std::size_t k = 0; k < truth_.keys.size(); ++k)
      for (index c = 0; c < problem_.shape.dim && bit(rows_.visible(row), truth_.keys[k]); ++c)
        mark(truth_.key.at(at.batch, kv_head_, static_cast<index>(k), c), of.gradient);
    mark_values(row, of);
  }
}

}  // namespace attestone

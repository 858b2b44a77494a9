// SPDX-License-Identifier: Apache-2.0
// Relations: another call whose right answer follows from that of a trial, without another truth.
#pragma once

#include <functional>
#include <optional>

#include "conformance/properties/property.hpp"

namespace attestone::inline conformance {

/// A row of an answer.
struct AnswerRow {
  index batch, head, query;
};

/// Where a row of the other answer stands in the answer of the trial. `query` must depend on `query` alone.
using RowOrigin = std::function<AnswerRow(const AnswerRow&)>;

/// Every row at its own place.
AnswerRow same_row(const AnswerRow&);

/// The truth of `to`, each row of it being one of `from`, whose channels begin with `first_channel`. Of a sample, the
/// rows that are known.
Truth moved(const Truth& from, const Problem& to, const RowOrigin&, index first_channel = 0);

/// The truth where every row of the other answer is the same row of the trial's.
Truth unmoved(const Truth& from, const Problem& to);

/// Replaces x by factor * x + shift, which is now known to within `slack` more. NaN and infinities follow IEEE 754.
void transform(Certified& x, double factor, double shift, double slack);

/// Calls change(batch, head, row, channel, element) for every element of the truth, the numbers of a row included;
/// `row` counts Truth::queries().
template <class Change>
void for_each_certified(const Problem& problem, Truth& truth, Change change) {
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index row = 0; row < static_cast<index>(truth.queries().size()); ++row) {
        if (truth.has_max_logits()) change(b, h, row, max_logits_channel, truth.max_logits(b, h, row));
        change(b, h, row, log_sum_exp_channel, truth.log_sum_exp(b, h, row));
        for (index c = 0; c < problem.shape.value_dim; ++c) change(b, h, row, c, truth.out(b, h, row, c));
      }
}

/// Another call, and its right answer.
struct RelatedCall {
  Problem problem;
  Inputs inputs;
  Truth truth;
};

/// Judges the kernel by the other call: metamorphic(), or skipped if the kernel refuses the other problem. Bounds
/// follow from the other inputs, and from what the kernel declares for the other problem.
Verdict judged(Trial&, const RelatedCall&, std::string_view reason, const std::string& circumstances);

/// The problem in the forward pass only, and packed, for calls of another shape.
Problem forward_of(const Problem&);

/// Copies to every element of `to` the code of the element of `from` at origin({batch, head, row, channel}), where axes
/// of extent 1 are repeated. Rows that a ragged `from` does not have leave theirs as they are.
template <class Origin>
void copy_elements(const ConstView& from, const View& to, Origin origin) {
  for_each_element(to, [&](index b, index h, index r, index c) {
    Extents at = origin(Extents{b, h, r, c});
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      if (from.extents()[axis] == 1) at[axis] = 0;
    if (at[2] < from.rows(at[0])) to.set_code(b, h, r, c, from.code(at[0], at[1], at[2], at[3]));
  });
}

/// Every element at its own place.
void copy_elements(const ConstView& from, const View& to);

/// True if both problems show every row and its origin the same keys; keys that one problem lacks are hidden in both.
/// Nothing is asked of rows whose origin lies behind the queries of the other problem.
bool sees_the_same(const Problem& other, const Problem& problem, const RowOrigin&);

/// Why relations that calculate with the inputs have nothing to say; empty if they have.
std::string without_numbers(const Problem&);

/// The tensor times 2^exponent, if no element is rounded by that.
std::optional<Tensor> times_power_of_two(const Tensor&, int exponent);

/// Exponents of powers of two to multiply by, of which the first one that rounds nothing counts: by lot a usual or a
/// far one, up or down; then the others.
std::vector<int> exponents_by_lot(const Problem&, int usual);

/// The tensor rounded to multiples of one number, so that the sum of two of its elements, or of one and a power of two
/// up to 2^(largest_exponent(original) + 1), is exact in the format unless it leaves the range.
Tensor with_a_bit_to_spare(const Tensor&);

/// The exponent of the largest finite element, and 0 if there is none but 0: every finite |x| < 2^(exponent + 1).
int largest_exponent(const ConstView&);

}  // namespace attestone::inline conformance

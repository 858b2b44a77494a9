// SPDX-License-Identifier: Apache-2.0
// Values and bounds on their way to certified elements: last factors, roundings, and what NaN and infinities spoil.
#pragma once

#include <vector>

#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/certified/numbers/enclosure.hpp"
#include "reference/certified/numbers/possible.hpp"
#include "reference/certified/numbers/scratch.hpp"
#include "reference/certified/numbers/store_elements.hpp"

namespace attestone {

/// Marks an element to which rows with NaN or infinities send `kinds`, in addition to what is certified: NaN where they
/// leave nothing else; certified still where they can send nothing finite but 0; and else unknown.
void mark(Certified&, Possible kinds);

/// Finished numbers of some elements; `rounded` is NaN where decide_quickly could not tell.
class FinishedElements {
 public:
  explicit FinishedElements(index count);
  /// value * factor / (1 - rate) of `count` sums, a multiple of 8, each product of a sum and of its bound having lost
  /// 2^-1074 at most; `terms` of them make a sum.
  void finish(const Problem&, const double* value, const double* bound, index count, double factor, double terms);
  /// to[c] = element first + c. Returns how many are undecided.
  index store_row(const Problem&, index first, index count, Certified* to) const;
  /// to[lane][c] = element [c][lane] of [count][16]; null: nobody asks for that lane. Returns how many are undecided.
  index store_lanes(const Problem&, index count, const std::array<Certified*, lanes_of_elements>& to) const;

 private:
  QuickDecisions from(index first) const {
    return {value_.get() + first, bound_.get() + first, rounded_.get() + first};
  }

  AlignedDoubles value_, bound_, rounded_;
};

/// Where an element of [batch, heads, rows, channels] goes in a packed tensor; axes of extent 1 are summed up.
std::size_t place_in(const Extents&, const Extents& at);

/// Values and bounds of all elements of a tensor of gradients that several heads add up.
struct BoundedTensor {
  explicit BoundedTensor(const Extents& of)
      : extents(of),
        value(static_cast<std::size_t>(element_count(of))),
        bound(value.size()),
        special(value.size(), Possible::zero) {}
  std::size_t place(const Pair& at) const { return place_in(extents, {at.batch, at.head, at.query, at.key}); }
  /// Adds a number and its bound, and what the addition rounds.
  void add(std::size_t place, double term, double term_bound);
  /// Adds what a row with NaN or infinities may send.
  void add(std::size_t place, Possible kinds) { special[place] += kinds; }

  /// The sums over 1 - rate.
  CertifiedTensor certified(const Problem&) const;

  Extents extents;
  std::vector<double> value, bound;
  std::vector<Possible> special;
};

}  // namespace attestone

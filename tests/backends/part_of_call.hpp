// SPDX-License-Identifier: Apache-2.0
// A part of an attention call as a rank of a mesh holds it: some sequences, heads, queries and keys, numbered from 0.
#pragma once

#include <vector>

#include "tests/random_call.hpp"

namespace attestone {

/// Rising numbers of the whole.
using Numbers = std::vector<index>;

/// The numbers of the whole that a part holds. Heads are neighbours: whole groups, or some heads of one group.
struct Cut {
  Numbers batches, heads, queries, keys;
  bool has_sink = true;  ///< one of the parts of a row's keys counts the sink
};

/// The numbers in the whole tensor of a part's elements, axis by axis; an axis without numbers is whole.
using AxisNumbers = std::array<Numbers, 4>;

/// Tensors, mask and placement of one part. Its problem says dense:50; the bytes of the mask say which pairs are
/// visible.
class PartOfCall {
 public:
  /// `stored`: the format of out, whatever the problem says.
  PartOfCall(const RandomCall& whole, const Cut&, const DType& stored);

  /// Runs the forward pass; the answers are NaN before it.
  void run(const Kernel&);
  /// Runs the forward pass for undivided sums, and turns them into the answers that they stand for, in f64.
  void run_partial(const Kernel&);
  /// Runs the backward pass with the whole's log_sum_exp and delta, dO in the input format, and NaN for `out`. The
  /// gradients are NaN before it.
  void run_backward(const Kernel&, const Tensor& log_sum_exp, const Tensor& delta);

  const Tensor& out() const { return out_; }
  const Tensor& log_sum_exp() const { return log_sum_exp_; }
  const Gradients& gradients() const { return *gradients_; }

  const AxisNumbers of_query, of_key, of_bias, of_sink;

 private:
  Problem problem_;
  Inputs inputs_;
  Outputs outputs_;
  Tensor out_, log_sum_exp_;
  std::optional<Gradients> gradients_;
  VisiblePairs mask_;
  Placement placement_;
};

/// A tensor of the whole while parts are added up.
class SumOfParts {
 public:
  explicit SumOfParts(const Extents& extents)
      : extents_(extents), sums_(static_cast<std::size_t>(element_count(extents))) {}

  void add(const Tensor& part, const AxisNumbers&);
  double at(const Extents& place) const { return sums_[number(place)]; }

 private:
  std::size_t number(const Extents& place) const;

  Extents extents_;
  std::vector<double> sums_;
};

/// The place in the whole tensor of an element of a part. An axis with one element in the whole has one in the part.
Extents in_whole(const Extents& whole, const AxisNumbers&, const Extents& place);

}  // namespace attestone

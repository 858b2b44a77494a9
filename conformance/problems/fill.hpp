// SPDX-License-Identifier: Apache-2.0
// Fills: what the inputs of a problem hold, and at which faults each is aimed.
#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "conformance/problems/row_draws.hpp"
#include "reference/call/tensors.hpp"
#include "reference/random/draws.hpp"

namespace attestone::inline conformance {

/// One element of an input tensor.
struct Element {
  TensorName tensor;
  index batch, head, row, channel;
  RowDraws* draws = nullptr;         ///< of its row, while that is filled
  RowDraws* draws_beside = nullptr;  ///< of the row that in_row() has led to last
};

/// The values of elements before they are rounded to the input format, by a function of one element. Pure: asked in any
/// order, by any thread. Whole rows are asked at once, since that costs one call.
class ElementSource {
 public:
  template <std::invocable<const Element&> Value>
  ElementSource(Value value)  // NOLINT(google-explicit-constructor): wherever one is wanted, a function will do
      : row_([value = std::move(value)](Element at, std::span<double> values) {
          for (double& of_channel : values) of_channel = value(at), ++at.channel;
        }) {}

  double operator()(const Element& at) const {
    double value = 0;
    row_(at, {&value, 1});
    return value;
  }
  /// The values of the elements from `first` on, in its row.
  void row(const Element& first, std::span<double> values) const { row_(first, values); }

 private:
  std::function<void(Element, std::span<double>)> row_;
};

/// A named fill: one file in conformance/problems/fills/.
struct Fill {
  std::string_view name;
  std::string_view aim;        ///< which faults it is aimed at, in one sentence
  std::string_view arguments;  ///< the arguments after the name, as help shows them, or nothing
  int argument_count;
  ElementSource (*source)(const Problem&);            ///< of query, key and value
  ElementSource (*others)(const Problem&) = nullptr;  ///< of bias, sink and dout; if null, see below
  Drawing drawing = {};                               ///< how random problems draw it, which have no arguments for it
};

/// The element's channel in another row, of this tensor or of one with as many channels. Draws cost little where one
/// row after the other leads to the same.
Element in_row(const Element&, TensorName tensor, index batch, index head, index row);

/// The draw that belongs to an element: it stays the same when shrinking makes the problem smaller around it.
Draw draw_for(const Problem&, const Element&);
/// standard_normal(draw_for(...)).
double normal_alone(const Problem&, const Element&);
inline double normal_for(const Problem& problem, const Element& at) {
  return at.draws ? at.draws->normal_at(problem.seed, at.channel) : normal_alone(problem, at);
}

/// The bias, sinks and dout of most fills: normal, and one bias of sixteen is -infinity.
ElementSource normal_others(const Problem&);

/// UserError, which points at it, if the problem's fill is unknown or has other arguments than it takes.
void check_fill(const Problem&);

/// UserError also if the problem's fill reads a file that does not suit the problem.
void check_source(const Problem&);

/// The problem's inputs. UserError if its fill is unknown or cannot fill it, or something of it is not judged yet.
Inputs filled(const Problem&);

/// Fills with this source instead of the problem's own.
Inputs filled(const Problem&, const ElementSource&);

/// Fills inputs without dout, for calls of the forward pass alone.
Inputs filled_forward(const Problem&, const ElementSource&);

}  // namespace attestone::inline conformance

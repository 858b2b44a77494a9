// SPDX-License-Identifier: Apache-2.0
// Correct kernels in declared arithmetic, emulated one rounding at a time; and the exact answer, in extended precision.
//
// Written from the description of the arithmetic only: nothing here is shared with reference/error_bound/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/call/tensors.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone::emulation {

enum class Summation {
  sequential,   ///< product and addition rounded to nearest, one after another
  fused,        ///< the same without rounding the product
  eight_lanes,  ///< every eighth addend, then the lanes
  pairwise,
  truncating,  ///< blocks of 16 exact products and the accumulator, aligned and cut to 24 bits
};

/// Which way the exponential errs, by as much as the class allows.
enum class ExpError { none, up, down, alternating, against_first_channel };

/// When the sink joins the softmax.
enum class SinkAt {
  first,      ///< it is the first maximum
  last,       ///< it raises the maximum if it is larger
  last_plain  ///< it is added as it stands, above the maximum or not
};

/// The numbers that dropout multiplies by 1 / (1 - rate).
enum class DropoutAt { weights, answer, values };

struct Recipe {
  std::string name;
  Summation summation = Summation::sequential;
  index tile = 0;  ///< keys per tile; 0: all
  bool descending = false;
  bool flush = false;        ///< subnormal operands and results are zero
  bool base_two = false;     ///< exp2 of a fused multiply-add, as GPU kernels have it
  bool normalise = false;    ///< weights are divided before the cast
  bool renormalise = false;  ///< sums are divided after every tile, and multiplied again in the next
  bool reciprocal = false;
  bool sum_cast_weights = false;
  std::string all_in = {};   ///< a format: every intermediate is rounded to it
  std::string cast_to = {};  ///< a format: weights are cast to it, whatever the class declares
  index forgotten_keys = 0;  ///< wrong on purpose: so many of the last visible keys are left out
  ExpError exp_error = ExpError::none;
  double tanh_error = 0, tanh_absolute_error = 0;
  SinkAt sink_at = SinkAt::last;
  DropoutAt dropout_at = DropoutAt::weights;
};

struct Row {
  std::vector<double> out;          ///< by channel, in the output format
  std::vector<double> accumulated;  ///< the same before it was rounded to that format
  double log_sum_exp;
};

/// The answer of a kernel of this recipe. `numerics` gives the cast of the weights and the size of the exp error.
Row answer(const Problem&, const Inputs&, const Numerics&, const Recipe&, index batch, index head, index query);

/// Some of the keys of a row.
struct PartOf {
  std::vector<bool> keys;              ///< by key: whether the part holds it; all if empty
  bool sink = true;                    ///< whether the sink is in this part
  std::optional<double> maximum = {};  ///< if it is known before: the reference of all parts
};

/// The state of a part after all its keys. Without keys and sink: -infinity, and zeros.
struct PartState {
  double maximum;    ///< in natural units
  double reference;  ///< what the exponentials refer to, in theirs
  double denominator;
  std::vector<double> sums;  ///< of weighted V by channel; divided by the denominator if the recipe normalises
};
PartState attend_to_part(const Problem&, const Inputs&, const Numerics&, const Recipe&, index batch, index head,
                         index query, const PartOf&);

struct ExactRow {
  std::vector<long double> out;
  long double log_sum_exp;
};
ExactRow exact(const Problem&, const Inputs&, index batch, index head, index query);

}  // namespace attestone::emulation

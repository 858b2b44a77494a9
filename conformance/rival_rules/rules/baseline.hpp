// SPDX-License-Identifier: Apache-2.0
// The low-precision baseline that other projects compare with: attention by their recipe, forward and backward.
#pragma once

#include <map>
#include <vector>

#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/call/tensors.hpp"

namespace attestone::inline conformance {

/// Tensors of an answer, elements in the order batch, head, row, channel.
using AnswerValues = std::map<TensorName, std::vector<double>>;

/// out, log_sum_exp, and with pass=forward+backward dquery, dkey and dvalue, by the recipe. log_sum_exp is in f32, of
/// scores that are scaled behind the product, whatever the recipe scales. Dropped weights are 0 and kept ones
/// scaled before they are rounded; empty rows are 0; heads of a group are rounded, then summed and rounded, as a
/// framework does that repeats K and V.
AnswerValues low_precision_baseline(const Problem&, const Inputs&, const Recipe&);

}  // namespace attestone::inline conformance

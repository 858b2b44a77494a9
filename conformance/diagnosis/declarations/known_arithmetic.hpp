// SPDX-License-Identifier: Apache-2.0
// Arithmetics that kernels are known for, in words and as declarations: where to look for one that explains an answer.
#pragma once

#include <string>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// One of them.
struct KnownArithmetic {
  std::string says;       ///< what such a kernel does: "stores scores in f16"
  std::string declares;   ///< over the default class: "score_roundoff=0x1p-11"
  bool combines = false;  ///< also tried together with one of another family
  bool leans = false;     ///< its errors may go one way: it cuts, or approximates
};

/// The arithmetics of one step, each allowing more than the one before it.
using ArithmeticFamily = std::vector<KnownArithmetic>;

/// A declaration that allows whatever each of them allows: of every field the loosest value.
std::string loosest(const ArithmeticFamily&);

/// The arithmetics that may explain a wrong answer to such a problem, or wrong gradients: then the backward pass alone,
/// and steps of the forward pass through which it goes again.
std::vector<ArithmeticFamily> known_arithmetics(const Problem&, bool gradients);

/// Parts of a row that are merged: of the forward pass alone. They allow much, and take many fields to declare.
std::vector<ArithmeticFamily> known_merges(bool gradients);

}  // namespace attestone::inline conformance

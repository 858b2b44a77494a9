// SPDX-License-Identifier: Apache-2.0
// A test if an answer follows the prior contents of its memory: told from bits that change from call to call anyway.
#pragma once

#include <cstdint>
#include <functional>

namespace attestone::inline conformance {

/// The contents of an answer's memory before a call: NaN, 2^100, or the answer to other inputs.
enum class Before { nan, huge, stale };

/// In the order of all numbers, in which -0 and NaN have their places: totalOrder of IEEE 754.
bool comes_before(double a, double b);

/// Two contents: the one over which an element is smaller, and the one over which it is larger.
struct Tendency {
  Before smaller, larger;
};

/// How often `follows_memory` calls over each of the two contents.
constexpr int calls_over_each = 16;

/// True if every call over the one content has a smaller element than every call over the other. The calls come in an
/// order that is drawn, half over each, until one says no.
///
/// A randomization test (Fisher, The Design of Experiments, 1935, section 11). What a kernel answers may change with
/// threads, time and the calls before; if it does not depend on the contents, then only one of the C(32, 16) orders
/// that may be drawn puts the 16 smallest answers over one content. So with a tendency from other calls than these, a
/// kernel that forgets its memory is accused with a probability of at most 1 / 601,080,390 = 1.7e-9, whatever else it
/// does.
bool follows_memory(const std::function<double(Before)>& element, const Tendency&, std::uint64_t seed);

}  // namespace attestone::inline conformance

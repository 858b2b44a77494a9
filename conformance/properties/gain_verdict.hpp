// SPDX-License-Identifier: Apache-2.0
// The verdict on the gain of a tensor or of a part of it, and what a run is to know of it.
#pragma once

#include <string_view>

#include "conformance/verdict/verdict.hpp"
#include "reference/error_bound/gain.hpp"
#include "reference/numerics/numerics.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// Failed if the gain is further from 1 than rounding explains; inconclusive, for the given reason, if zeros would
/// pass. `tensor` is what the evidence calls it, "O" or "dQ", and `part` where the gain was taken, "on the whole".
Verdict gain_verdict(std::string_view tensor, std::string_view part, const Gain&, const char* zeros_would_pass);

/// True if something is rounded to a format so narrow that errors average out: then the gain of a part, too, says more
/// than its elements.
bool rounds_to_narrow_formats(const Numerics&);

/// True if the roundings of a kernel on these inputs may be taken for a sample of mean 0, independent of those on other
/// seeds: the inputs are drawn from a smooth distribution, and what is rounded is not made of few numbers.
bool errors_are_a_sample(const Problem&, const Numerics&);

/// The deviation of a gain, of which a run makes one test with those of its other problems; none if it is not finite,
/// or exact.
void note_deviation(Verdict&, std::string_view statistic, const Gain&);

}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// Comparing a gain with its bound.
#include "conformance/properties/gain_verdict.hpp"

#include <cmath>
#include <fmt/format.h>

namespace attestone {

Verdict gain_verdict(std::string_view tensor, const Gain& gain, const char* zeros_would_pass) {
  if (!gain.says_anything()) return Verdict::inconclusive("weak-case", "nothing but zeros to compare with");
  if (gain.bound_lies_in(std::abs(gain.gain() - 1), 1)) return Verdict::passed();
  if (std::abs(gain.gain() - 1) > gain.bound())
    return Verdict::failed(
        "wrong-gain", fmt::format("{} is {:.6g} times the truth on the whole; rounding explains 1 +- {:.2g}", tensor,
                                  gain.gain(), gain.bound()));
  if (!(gain.bound() < 1)) return Verdict::inconclusive("weak-case", zeros_would_pass);
  return Verdict::passed();
}

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Wrong variants of attention that kernels are known to compute: what a failing answer is compared with.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/diagnosis/definition.hpp"

namespace attestone::inline conformance {

/// One wrong variant.
struct Variant {
  std::string name;     ///< "causal:top_left"
  std::string says;     ///< what the kernel does, in one sentence
  std::string look_at;  ///< where such a fault usually lies
  std::function<void(Definition&)> change;
  enum class Pass { forward, log_sum_exp, backward } pass = Pass::forward;  ///< which answer shows it
};

/// The variants that concern one part of attention: one file in conformance/diagnosis/variants/.
struct VariantFamily {
  std::string_view name;
  std::vector<Variant> (*of)(const Problem&);  ///< those that differ from the right answer to such a problem
};

/// All of them, family by family.
std::vector<Variant> variants_of(const Problem&);

}  // namespace attestone::inline conformance

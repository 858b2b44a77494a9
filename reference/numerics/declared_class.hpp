// SPDX-License-Identifier: Apache-2.0
// Classes of arithmetic: what a kernel is held to that declares nothing, and what one that declares more allows itself.
#pragma once

#include <string>
#include <vector>

#include "reference/dtypes/dtype.hpp"
#include "reference/numerics/numerics.hpp"

namespace attestone {

/// Rounding to a dtype whose small numbers lose their last places, or are flushed to zero.
Cast gradual_cast(const DType&);
Cast flushing_cast(const DType&);

/// The default class of a dtype (docs/tolerance.md, "Default classes"): what a kernel is held to that declares nothing.
/// f32 is full f32; f16 and bf16 are the arithmetic of FlashAttention. Output and log_sum_exp rounding follow `output`.
Numerics default_numerics(const DType& input, const DType& output);

/// "fp32", "bf16-P", ...: the name of the default class.
std::string default_class_name(const DType& input);

/// A field that allows a kernel more than the default class of its formats.
struct LooserField {
  std::string name;               ///< a short name, where it says all
  std::string declared, allowed;  ///< the values
  double excess = 0;              ///< how far they are apart
};

/// All of them; none if the kernel is at least as good as its default class.
std::vector<LooserField> looser_fields(const Numerics& declared, const DType& input, const DType& output);

/// The name of the default class if nothing is looser, else "looser than fp32".
std::string class_name(const Numerics&, const DType& input, const DType& output);

}  // namespace attestone

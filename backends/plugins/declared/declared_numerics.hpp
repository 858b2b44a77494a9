// SPDX-License-Identifier: Apache-2.0
// The arithmetic that an outside kernel declares: fields by name, over those of a catalogue kernel if it names
// one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/kernel.hpp"
#include "reference/declared_words.hpp"
#include "reference/numerics/numerics.hpp"

namespace attestone::inline backends {

/// "like=sage_qk_int8_pv_fp8_cuda exp_error=0x1p-22": the arithmetic of that kernel, with another exponential.
class DeclaredNumerics {
 public:
  static constexpr std::string_view model_word = "like";

  /// UserError, with `owner` in front, for unknown fields and values that they do not take, and for unknown kernels.
  DeclaredNumerics(const std::vector<DeclaredWord>&, std::string owner);
  DeclaredNumerics(std::string_view text, std::string owner);

  /// `own` with what is declared, or the model's with it.
  Numerics on(const Problem&, const Numerics& own) const;

 private:
  std::string owner_;
  SharedKernel model_;
  std::vector<DeclaredWord> fields_;
};

}  // namespace attestone::inline backends

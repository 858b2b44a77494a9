// SPDX-License-Identifier: Apache-2.0
// The option --declare: arithmetic and conventions that kernels are held to, over what they say of themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/plugins/declared/declared_numerics.hpp"
#include "conformance/run/candidate.hpp"

namespace attestone::inline conformance {

/// A declaration, read: "exp_error=1e-6 lse=log2".
struct Declared {
  std::string text;  ///< as it was written
  DeclaredNumerics numerics;
  std::vector<DeclaredWord> conventions;
};

/// Nothing if nothing is declared. UserError for fields and conventions that there are not, and for their values.
std::optional<Declared> read_declared(const std::string& text);

/// The kernel, held to the declaration.
Candidate declaring(const Candidate&, const Declared&);

}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// Declared arithmetic as text: "weight_roundoff=0x1p-9 merge.form=sigmoid merge.parts=4".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/declared_words.hpp"
#include "reference/numerics/numerics.hpp"

namespace attestone {

/// `numerics` with the fields that the text names: numbers as strtod reads them, yes or no for what is one of two, or
/// one of a few words. Short names stand for several fields. UserError, with `owner` in front, for unknown fields and
/// values that they do not take.
Numerics with_declared(Numerics numerics, std::string_view text, const std::string& owner);
Numerics with_declared(Numerics numerics, std::span<const DeclaredWord>, const std::string& owner);

/// The declaration that leads from one arithmetic to the other: with_declared(from, declaration(from, to)) == to.
std::string declaration(const Numerics& from, const Numerics& to);

/// True if the second arithmetic differs from the first, and allows at least as much in every field that has a looser
/// direction.
bool only_loosens(const Numerics& from, const Numerics& to);

/// Every field by its own name, and its value as text.
std::vector<std::pair<std::string, std::string>> field_values(const Numerics&);

/// All names that a declaration may hold, fields and short names, sorted.
std::vector<std::string> declarable_names();

}  // namespace attestone

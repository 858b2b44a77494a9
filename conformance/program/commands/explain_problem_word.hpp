// SPDX-License-Identifier: Apache-2.0
// Explaining words of a problem as they are written, with their arguments.
#pragma once

#include <optional>
#include <string>

namespace attestone::inline conformance {

/// "window:4:0", "causal&~window:2:2": a picture of the mask. "softcap:30": what it does to some scores. "bias:head",
/// "outliers:8", "bf16>f32": what the word means. A field's name may stand before it, as in coverage: "mask=causal".
/// Nothing for what is no value of a field.
std::optional<std::string> explained_problem_word(const std::string& word);

}  // namespace attestone::inline conformance

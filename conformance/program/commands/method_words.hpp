// SPDX-License-Identifier: Apache-2.0
// The table of distributed methods: how many devices each can use, and what one of them sends and holds.
#pragma once

#include "conformance/program/commands/vocabulary.hpp"

namespace attestone::inline conformance {

/// A line for each method, and for each setting of it away from the default, as its program says of one example:
/// 8 heads, 4 kv heads, 48 rows of 16 bf16 channels, two sequences; the most that one of four devices sends and holds.
std::vector<Word> method_words();

}  // namespace attestone::inline conformance

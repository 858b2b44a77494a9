// SPDX-License-Identifier: Apache-2.0
// Invariance of the bits of a row: a set of words that a kernel may declare, such as "batch+chunks".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attestone {

/// A set, one bit for each word. A row is a query of one sequence and head, with O, log_sum_exp and its gradients; it
/// keeps its bits whatever a scheduler makes of that of which it is independent.
enum class Invariance : std::uint64_t { none = 0, batch = 1, heads = 2, chunks = 4, padding = 8, hidden_keys = 16 };

constexpr Invariance operator|(Invariance a, Invariance b) {
  return static_cast<Invariance>(static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b));
}
constexpr bool includes(Invariance all, Invariance some) { return (all | some) == all; }

/// One word of them.
struct InvarianceWord {
  Invariance invariance;
  std::string_view name;
  std::string_view meaning;  ///< what may change, and the bits do not
};
std::span<const InvarianceWord> invariance_words();

/// "batch+chunks", or "none".
std::string text(Invariance);

/// The set that the text names; nothing if a word of it is unknown.
std::optional<Invariance> invariance_of(std::string_view text);

}  // namespace attestone

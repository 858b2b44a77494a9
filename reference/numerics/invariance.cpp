// SPDX-License-Identifier: Apache-2.0
// The words, read and written.
#include "reference/numerics/invariance.hpp"

#include <algorithm>
#include <array>

namespace attestone {
namespace {

constexpr std::string_view no_word = "none";

constexpr std::array<InvarianceWord, 5> all_words{{
    {Invariance::batch, "batch", "which sequences are in the call beside its own, and at which place it is"},
    {Invariance::heads, "heads", "how many kv heads are in the call, and at which place its own is"},
    {Invariance::chunks, "chunks", "in chunks of how many queries a prefill comes; one query is a decoding step"},
    {Invariance::padding, "padding", "how many keys and queries of padding stand behind the end of the sequences"},
    {Invariance::hidden_keys, "hidden_keys", "how many keys of the call the mask hides from the row"},
}};

Invariance word_of(std::string_view name) {
  for (const InvarianceWord& word : all_words)
    if (word.name == name) return word.invariance;
  return Invariance::none;
}

}  // namespace

std::span<const InvarianceWord> invariance_words() { return all_words; }

std::string text(Invariance all) {
  std::string text;
  for (const InvarianceWord& word : all_words) {
    if (!includes(all, word.invariance)) continue;
    if (!text.empty()) text += '+';
    text += word.name;
  }
  return text.empty() ? std::string(no_word) : text;
}

std::optional<Invariance> invariance_of(std::string_view text) {
  Invariance all = Invariance::none;
  if (text == no_word) return all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const Invariance one = word_of(text.substr(begin, end - begin));
    if (one == Invariance::none) return std::nullopt;
    all = all | one;
    begin = end + 1;
  }
  return all;
}

}  // namespace attestone

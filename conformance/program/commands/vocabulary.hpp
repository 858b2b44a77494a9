// SPDX-License-Identifier: Apache-2.0
// Every word that a user can write or read, by kind, with its meaning.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace attestone::inline conformance {

/// A word with its explanation.
struct Word {
  std::string name;
  std::string meaning;  ///< one line, for lists
  std::string details;  ///< more, for `attestone explain`; may be empty
  /// How it begins when it is written, with a colon last where arguments follow: "window:", or "bias:head" and
  /// "bias:full"; just the name if there are none.
  std::vector<std::string> spellings = {};
};

/// "masks" -> full, causal, ...; sorted.
std::map<std::string, std::vector<Word>> vocabulary();

}  // namespace attestone::inline conformance

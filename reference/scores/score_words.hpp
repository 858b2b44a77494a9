// SPDX-License-Identifier: Apache-2.0
// The words of a problem's score, and how each is written: score=softcap:30&alibi.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace attestone {

/// The name of a score term, and what follows it.
struct ScoreWord {
  enum class Argument {
    none,
    number,  ///< "name:number", greater than 0
    kind,    ///< "name:kind", which tensor of the inputs it reads
  };
  std::string_view name;
  std::string_view summary;
  Argument argument;
  std::vector<std::string_view> kinds = {};  ///< of a word that takes a kind
};

/// softcap, bias and sink, and every registered bias by formula; sorted by name.
std::vector<ScoreWord> score_words();

/// The word of that name, if there is one.
std::optional<ScoreWord> score_word(std::string_view name);

}  // namespace attestone

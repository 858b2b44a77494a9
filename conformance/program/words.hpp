// SPDX-License-Identifier: Apache-2.0
// The words of a command line, held to what the commands take, before anything is read from them.
#pragma once

#include <string>
#include <vector>

#include "conformance/program/commands.hpp"

namespace attestone::inline conformance {

/// What a command line says.
struct CommandWords {
  /// One word, or an option with its value.
  struct Given {
    std::string option;  ///< "--kernel"; empty for what stands by itself
    std::string value;   ///< empty for an option that takes none
  };
  std::string command;  ///< empty where there is none
  bool help = false;    ///< asked for anywhere: nothing else counts
  std::vector<Given> given;
};

/// Reads the words behind "attestone". UserError for a word that there is no place for: an unknown command or option, a
/// value that is missing, empty or not taken, an option given twice that is read once, an empty word, a word too many,
/// and for one that is missing.
CommandWords read_words(const CommandLineDescription&, const std::vector<std::string>& words);

}  // namespace attestone::inline conformance

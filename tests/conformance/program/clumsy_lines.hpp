// SPDX-License-Identifier: Apache-2.0
// Command lines as clumsy hands write them: from the grammar, then swapped, cut, doubled and misspelt.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/program.hpp"

namespace attestone {

/// Draws lines from a seed. What they name lies in the folder that make_odd_files() fills.
class ClumsyLines {
 public:
  explicit ClumsyLines(std::uint64_t seed) : random_(seed) {}

  /// A line of the grammar with none to four slips.
  ProgramCall next();

 private:
  using Words = std::vector<std::string>;

  std::size_t below(std::size_t n) { return random_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  const std::string& any(const Words& words) { return words[below(words.size())]; }

  std::string problem();
  Words run();
  Words other();
  void slip(Words& words);
  void slip(std::string& word);

  std::mt19937_64 random_;
};

/// Files, folders, pipes and links for the lines to stumble over.
void make_odd_files(const std::filesystem::path& folder);

}  // namespace attestone

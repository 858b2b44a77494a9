// SPDX-License-Identifier: Apache-2.0
// Breaking lines at spaces.
#include "conformance/reports/wrapped.hpp"

#include <sstream>

namespace attestone::inline conformance {

std::string wrapped(const std::string& head, const std::string& words, std::size_t width) {
  std::string all, line = head;
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    const bool first = line.size() == head.size();
    if (!first && line.size() + 1 + word.size() > width) {
      all += line + '\n';
      line = std::string(head.size(), ' ') + word;
    } else {
      line += (first ? "" : " ") + word;
    }
  }
  return all + line + '\n';
}

}  // namespace attestone::inline conformance

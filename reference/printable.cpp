// SPDX-License-Identifier: Apache-2.0
// Reading UTF-8, a character at a time.
#include "reference/printable.hpp"

#include <algorithm>

namespace attestone {
namespace {

/// A character that XML 1.0 allows and a terminal does not obey.
bool is_printable(char32_t c) {
  const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0);
  const bool surrogate = c >= 0xd800 && c <= 0xdfff;
  return !control && !surrogate && c != 0xfffe && c != 0xffff && c <= 0x10ffff;
}

}  // namespace

std::size_t printable_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return is_printable(first) ? 1 : 0;
  const std::size_t length = first >= 0xf0 && first < 0xf8   ? 4
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xc0 && first < 0xe0 ? 2
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  char32_t c = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return 0;
    c = c << 6 | (next & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // of each length; below it, a shorter one was due
  return c >= least[length] && is_printable(c) ? length : 0;
}

std::string printable(std::string_view text, std::string_view substitute) {
  std::string all;
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    all += length ? text.substr(0, length) : substitute;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return all;
}

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Which bytes a terminal, and a report in XML, can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attestone {

/// The bytes of the character that `text` begins with: of one in UTF-8 (RFC 3629) that XML 1.0 allows and that a
/// terminal does not obey, newline and tab included; 0 if it begins with none. `text` is not empty.
std::size_t printable_length(std::string_view text);

/// The text with `substitute` for every byte of what is not printable.
std::string printable(std::string_view text, std::string_view substitute = "\uFFFD");

}  // namespace attestone

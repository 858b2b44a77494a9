// SPDX-License-Identifier: Apache-2.0
// Long lines for a terminal.
#pragma once

#include <string>

namespace attestone::inline conformance {

/// `head` and the words behind it, in lines of at most `width` characters that are broken at spaces; each further line
/// is indented by the length of the head. Ends with a newline.
std::string wrapped(const std::string& head, const std::string& words, std::size_t width = 118);

}  // namespace attestone::inline conformance

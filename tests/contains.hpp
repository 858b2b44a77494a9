// SPDX-License-Identifier: Apache-2.0
// Whether a text contains another one.
#pragma once

#include <string>

namespace attestone {

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace attestone

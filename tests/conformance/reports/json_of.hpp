// SPDX-License-Identifier: Apache-2.0
// A text as json, read in one place: what the parser is made of takes a compiler five seconds.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

extern template class nlohmann::basic_json<>;

namespace attestone {

/// Discarded if the text is no json.
nlohmann::json json_of(const std::string& text);

}  // namespace attestone

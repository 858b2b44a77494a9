// SPDX-License-Identifier: Apache-2.0
// Everything of nlohmann::json that tests share.
#include "tests/conformance/reports/json_of.hpp"

template class nlohmann::basic_json<>;

namespace attestone {

nlohmann::json json_of(const std::string& text) { return nlohmann::json::parse(text, nullptr, false); }

}  // namespace attestone

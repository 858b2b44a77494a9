// SPDX-License-Identifier: Apache-2.0
// Half of a rank's own keys, and both halves together.
#pragma once

#include "backends/distributed/rank/key_value.hpp"

namespace attestone::inline backends {

/// A copy of the first or the second half of the own keys of every sequence: "KV".
KeyValue half_of(Rank&, const KeyValue& own, bool second);
/// Both halves in one, under this name.
KeyValue joined(Rank&, std::string_view name, const KeyValue& first, const KeyValue& second);

}  // namespace attestone::inline backends

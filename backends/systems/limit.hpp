// SPDX-License-Identifier: Apache-2.0
// Limits of other systems, each stated by one rule.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backends/distributed/sharding/mesh.hpp"
#include "backends/kernel.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline backends {

/// A limit of a system's backend.
struct Limit {
  std::string_view what;  ///< in a few words
  /// Nothing for what the backend takes; else why not.
  std::optional<std::string> (*refusal)(const Problem&, const Mesh&);
};

/// Refused in the words of the first of these limits that does not take it.
Support within(std::span<const Limit>, const Problem&, const Mesh&);

// Limits on problems.
extern const Limit forward_only;
extern const Limit full_mask_only;
/// Keys that one sequence has and another lacks are masked by a mask of keys, where there is such a mask.
extern const Limit full_sequences_only;
extern const Limit self_attention_only;
extern const Limit self_attention_backward;
extern const Limit own_kv_heads;
extern const Limit values_as_wide_as_keys;
extern const Limit plain_scores;
extern const Limit no_dropout;

// Limits on meshes.
extern const Limit several_places;
extern const Limit several_members;
extern const Limit equal_heads;
extern const Limit equal_shards;
extern const Limit ulysses_innermost;

}  // namespace attestone::inline backends

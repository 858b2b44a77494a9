// SPDX-License-Identifier: Apache-2.0
// What other systems do not take, each said by one rule.
#pragma once

#include <optional>
#include <string>

#include "backends/distributed/mesh.hpp"
#include "reference/problem.hpp"

namespace attestone {

/// Nothing for what a system takes; else why not, in words.
using Limit = std::optional<std::string> (*)(const Problem&, const Mesh&);

// The problem.
std::optional<std::string> forward_only(const Problem&, const Mesh&);
std::optional<std::string> full_mask_only(const Problem&, const Mesh&);
/// Keys that one sequence has and another lacks are masked by a mask of keys, where there is such a mask.
std::optional<std::string> full_sequences_only(const Problem&, const Mesh&);
std::optional<std::string> as_many_queries_as_keys(const Problem&, const Mesh&);
/// The same, of the backward pass alone.
std::optional<std::string> as_many_queries_as_keys_backward(const Problem&, const Mesh&);
std::optional<std::string> as_many_kv_heads_as_heads(const Problem&, const Mesh&);
std::optional<std::string> values_as_wide_as_keys(const Problem&, const Mesh&);
/// No softcap, no bias, no sink.
std::optional<std::string> plain_scores_only(const Problem&, const Mesh&);
std::optional<std::string> no_dropout(const Problem&, const Mesh&);

// The mesh.
std::optional<std::string> several_places(const Problem&, const Mesh&);
std::optional<std::string> several_members(const Problem&, const Mesh&);
std::optional<std::string> equal_heads(const Problem&, const Mesh&);
std::optional<std::string> equal_shards(const Problem&, const Mesh&);
std::optional<std::string> ulysses_innermost(const Problem&, const Mesh&);

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// The rules, in words.
#include "backends/systems/limit.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace attestone {
namespace {

std::optional<std::string> refused_if(bool condition, std::string why) {
  return condition ? std::optional(std::move(why)) : std::nullopt;
}

}  // namespace

std::optional<std::string> forward_only(const Problem& problem, const Mesh&) {
  return refused_if(problem.backward, "has no backward pass there");
}

std::optional<std::string> full_mask_only(const Problem& problem, const Mesh&) {
  return refused_if(!problem.mask.is_full(), fmt::format("takes no mask={} there", problem.mask.text()));
}

std::optional<std::string> full_sequences_only(const Problem& problem, const Mesh&) {
  return refused_if(!problem.lengths.empty() || !problem.query_lengths.empty(),
                    "takes no mask of keys there, so every sequence has to be full");
}

std::optional<std::string> as_many_queries_as_keys(const Problem& problem, const Mesh&) {
  const Shape& shape = problem.shape;
  return refused_if(shape.queries != shape.keys, "is for self-attention there: as many queries as keys");
}

std::optional<std::string> as_many_queries_as_keys_backward(const Problem& problem, const Mesh& mesh) {
  return problem.backward ? as_many_queries_as_keys(problem, mesh) : std::nullopt;
}

std::optional<std::string> as_many_kv_heads_as_heads(const Problem& problem, const Mesh&) {
  const Shape& shape = problem.shape;
  return refused_if(shape.kv_heads != shape.heads,
                    fmt::format("shares no kv heads there: {} for {} heads", shape.kv_heads, shape.heads));
}

std::optional<std::string> values_as_wide_as_keys(const Problem& problem, const Mesh&) {
  const Shape& shape = problem.shape;
  return refused_if(shape.value_dim != shape.dim,
                    fmt::format("takes no values of {} channels beside keys of {} there", shape.value_dim, shape.dim));
}

std::optional<std::string> plain_scores_only(const Problem& problem, const Mesh&) {
  return refused_if(!problem.score.terms().empty(), fmt::format("knows no score={} there", problem.score.text()));
}

std::optional<std::string> no_dropout(const Problem& problem, const Mesh&) {
  return refused_if(problem.dropout > 0, "has no dropout there that another program could repeat");
}

std::optional<std::string> several_places(const Problem&, const Mesh& mesh) {
  return refused_if(mesh.devices("ring") < 2, "needs at least two devices along ring there");
}

std::optional<std::string> several_members(const Problem&, const Mesh& mesh) {
  return refused_if(mesh.devices("ulysses") < 2, "needs at least two devices along ulysses there");
}

std::optional<std::string> equal_heads(const Problem& problem, const Mesh& mesh) {
  const index members = mesh.devices("ulysses"), heads = problem.shape.heads;
  return refused_if(heads % members != 0,
                    fmt::format("deals heads evenly there, and {} devices do not divide {} heads", members, heads));
}

std::optional<std::string> equal_shards(const Problem& problem, const Mesh& mesh) {
  const index devices = mesh.devices("ring") * mesh.devices("ulysses");
  for (const index rows : {problem.shape.queries, problem.shape.keys})
    if (rows % devices != 0)
      return fmt::format("deals rows evenly there, and {} devices do not divide {} rows", devices, rows);
  return std::nullopt;
}

std::optional<std::string> ulysses_innermost(const Problem&, const Mesh& mesh) {
  const auto place = [&](std::string_view axis) {
    return std::ranges::find(mesh.axes(), axis, &MeshAxis::name) - mesh.axes().begin();
  };
  return refused_if(mesh.devices("ring") > 1 && mesh.devices("ulysses") > 1 && place("ring") < place("ulysses"),
                    "has neighbours in a Ulysses group there: --mesh=ulysses:…+ring:…");
}

}  // namespace attestone

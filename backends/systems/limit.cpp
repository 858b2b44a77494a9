// SPDX-License-Identifier: Apache-2.0
// The rules, in words.
#include "backends/systems/limit.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace attestone::inline backends {
namespace {

using Refusal = std::optional<std::string>;

Refusal refused_if(bool condition, std::string why) { return condition ? Refusal(std::move(why)) : std::nullopt; }

Refusal of_gradients(const Problem& problem, const Mesh&) {
  return refused_if(problem.backward, "has no backward pass there");
}

Refusal of_masks(const Problem& problem, const Mesh&) {
  return refused_if(!problem.mask.is_full(), fmt::format("takes no mask={} there", problem.mask.text()));
}

Refusal of_lengths(const Problem& problem, const Mesh&) {
  return refused_if(!problem.lengths.empty() || !problem.query_lengths.empty(),
                    "takes no mask of keys there, so every sequence has to be full");
}

Refusal of_cross_attention(const Problem& problem, const Mesh&) {
  const Shape& shape = problem.shape;
  return refused_if(shape.queries != shape.keys, "is for self-attention there: as many queries as keys");
}

Refusal of_its_gradients(const Problem& problem, const Mesh& mesh) {
  return problem.backward ? of_cross_attention(problem, mesh) : std::nullopt;
}

Refusal of_shared_kv_heads(const Problem& problem, const Mesh&) {
  const Shape& shape = problem.shape;
  return refused_if(shape.kv_heads != shape.heads,
                    fmt::format("shares no kv heads there: {} for {} heads", shape.kv_heads, shape.heads));
}

Refusal of_other_widths(const Problem& problem, const Mesh&) {
  const Shape& shape = problem.shape;
  return refused_if(shape.value_dim != shape.dim,
                    fmt::format("takes no values of {} channels beside keys of {} there", shape.value_dim, shape.dim));
}

Refusal of_score_terms(const Problem& problem, const Mesh&) {
  return refused_if(!problem.score.terms().empty(), fmt::format("knows no score={} there", problem.score.text()));
}

Refusal of_dropout(const Problem& problem, const Mesh&) {
  return refused_if(problem.dropout > 0, "has no dropout there that another program could repeat");
}

Refusal of_a_ring_of_one(const Problem&, const Mesh& mesh) {
  return refused_if(mesh.devices("ring") < 2, "needs at least two devices along ring there");
}

Refusal of_a_group_of_one(const Problem&, const Mesh& mesh) {
  return refused_if(mesh.devices("ulysses") < 2, "needs at least two devices along ulysses there");
}

Refusal of_uneven_heads(const Problem& problem, const Mesh& mesh) {
  const index members = mesh.devices("ulysses"), heads = problem.shape.heads;
  return refused_if(heads % members != 0,
                    fmt::format("deals heads evenly there, and {} devices do not divide {} heads", members, heads));
}

Refusal of_uneven_shards(const Problem& problem, const Mesh& mesh) {
  const index devices = mesh.devices("ring") * mesh.devices("ulysses"), queries = problem.shape.queries;
  const index rows = queries % devices != 0 ? queries : problem.shape.keys;
  return refused_if(rows % devices != 0,
                    fmt::format("deals rows evenly there, and {} devices do not divide {} rows", devices, rows));
}

Refusal of_an_inner_ring(const Problem&, const Mesh& mesh) {
  const auto place = [&](std::string_view axis) {
    return std::ranges::find(mesh.axes(), axis, &MeshAxis::name) - mesh.axes().begin();
  };
  return refused_if(mesh.devices("ring") > 1 && mesh.devices("ulysses") > 1 && place("ring") < place("ulysses"),
                    "has neighbours in a Ulysses group there: --mesh=ulysses:...+ring:...");
}

}  // namespace

Support within(std::span<const Limit> limits, const Problem& problem, const Mesh& mesh) {
  for (const Limit& limit : limits)
    if (const Refusal why = limit.refusal(problem, mesh)) return Support::refused(*why);
  return {};
}

constinit const Limit forward_only{"no backward pass", of_gradients};
constinit const Limit full_mask_only{"no mask", of_masks};
constinit const Limit full_sequences_only{"no mask of keys", of_lengths};
constinit const Limit self_attention_only{"self-attention", of_cross_attention};
constinit const Limit self_attention_backward{"backward self-attention", of_its_gradients};
constinit const Limit own_kv_heads{"no shared kv heads", of_shared_kv_heads};
constinit const Limit values_as_wide_as_keys{"value_dim = dim", of_other_widths};
constinit const Limit plain_scores{"no softcap, bias or sink", of_score_terms};
constinit const Limit no_dropout{"no dropout", of_dropout};

constinit const Limit several_places{"ring of 2 or more", of_a_ring_of_one};
constinit const Limit several_members{"Ulysses of 2 or more", of_a_group_of_one};
constinit const Limit equal_heads{"Ulysses divides the heads", of_uneven_heads};
constinit const Limit equal_shards{"devices divide the rows", of_uneven_shards};
constinit const Limit ulysses_innermost{"Ulysses innermost", of_an_inner_ring};

}  // namespace attestone::inline backends

// SPDX-License-Identifier: Apache-2.0
// The rules, in words.
#include "backends/systems/limit.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace attestone {
namespace {

using Refusal = std::optional<std::string>;

Refusal refused_if(bool condition, std::string why) { return condition ? Refusal(std::move(why)) : std::nullopt; }

Refusal of_cross_attention(const Problem& problem, const Mesh&) {
  const Shape& shape = problem.shape;
  return refused_if(shape.queries != shape.keys, "is for self-attention there: as many queries as keys");
}

}  // namespace

constinit const Limit forward_only{"no backward pass", [](const Problem& problem, const Mesh&) {
                                     return refused_if(problem.backward, "has no backward pass there");
                                   }};

constinit const Limit full_mask_only{"no mask", [](const Problem& problem, const Mesh&) {
                                       return refused_if(!problem.mask.is_full(),
                                                         fmt::format("takes no mask={} there", problem.mask.text()));
                                     }};

constinit const Limit full_sequences_only{"no mask of keys", [](const Problem& problem, const Mesh&) {
                                            return refused_if(
                                                !problem.lengths.empty() || !problem.query_lengths.empty(),
                                                "takes no mask of keys there, so every sequence has to be full");
                                          }};

constinit const Limit self_attention_only{"self-attention", of_cross_attention};

constinit const Limit self_attention_backward{"backward self-attention", [](const Problem& problem, const Mesh& mesh) {
                                                return problem.backward ? of_cross_attention(problem, mesh)
                                                                        : std::nullopt;
                                              }};

constinit const Limit own_kv_heads{
    "no shared kv heads", [](const Problem& problem, const Mesh&) {
      const Shape& shape = problem.shape;
      return refused_if(shape.kv_heads != shape.heads,
                        fmt::format("shares no kv heads there: {} for {} heads", shape.kv_heads, shape.heads));
    }};

constinit const Limit values_as_wide_as_keys{
    "value_dim = dim", [](const Problem& problem, const Mesh&) {
      const Shape& shape = problem.shape;
      return refused_if(
          shape.value_dim != shape.dim,
          fmt::format("takes no values of {} channels beside keys of {} there", shape.value_dim, shape.dim));
    }};

constinit const Limit plain_scores{"no softcap, bias or sink", [](const Problem& problem, const Mesh&) {
                                     return refused_if(!problem.score.terms().empty(),
                                                       fmt::format("knows no score={} there", problem.score.text()));
                                   }};

constinit const Limit no_dropout{"no dropout", [](const Problem& problem, const Mesh&) {
                                   return refused_if(problem.dropout > 0,
                                                     "has no dropout there that another program could repeat");
                                 }};

constinit const Limit several_places{"ring of 2 or more", [](const Problem&, const Mesh& mesh) {
                                       return refused_if(mesh.devices("ring") < 2,
                                                         "needs at least two devices along ring there");
                                     }};

constinit const Limit several_members{"Ulysses of 2 or more", [](const Problem&, const Mesh& mesh) {
                                        return refused_if(mesh.devices("ulysses") < 2,
                                                          "needs at least two devices along ulysses there");
                                      }};

constinit const Limit equal_heads{
    "Ulysses divides the heads", [](const Problem& problem, const Mesh& mesh) {
      const index members = mesh.devices("ulysses"), heads = problem.shape.heads;
      return refused_if(heads % members != 0,
                        fmt::format("deals heads evenly there, and {} devices do not divide {} heads", members, heads));
    }};

constinit const Limit equal_shards{
    "devices divide the rows", [](const Problem& problem, const Mesh& mesh) {
      const index devices = mesh.devices("ring") * mesh.devices("ulysses"), queries = problem.shape.queries;
      const index rows = queries % devices != 0 ? queries : problem.shape.keys;
      return refused_if(rows % devices != 0,
                        fmt::format("deals rows evenly there, and {} devices do not divide {} rows", devices, rows));
    }};

constinit const Limit ulysses_innermost{
    "Ulysses innermost", [](const Problem&, const Mesh& mesh) {
      const auto place = [&](std::string_view axis) {
        return std::ranges::find(mesh.axes(), axis, &MeshAxis::name) - mesh.axes().begin();
      };
      return refused_if(mesh.devices("ring") > 1 && mesh.devices("ulysses") > 1 && place("ring") < place("ulysses"),
                        "has neighbours in a Ulysses group there: --mesh=ulysses:...+ring:...");
    }};

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Drawing random problems.
#include "conformance/problems/generate.hpp"

#include <algorithm>
#include <vector>

#include "conformance/problems/drawn.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/problems/newcomers.hpp"
#include "reference/registry.hpp"
#include "reference/scores/score_words.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index problems_per_swarm = 16;
// Work of one problem, in multiply-adds of q.k: a millisecond of truth, or a few.
constexpr index usual_work = index{1} << 19, most_work = index{1} << 21;

/// The entries of a registry that have a turn, in their order.
template <class Entry>
std::vector<const Entry*> in_turn() {
  std::vector<const Entry*> entries;
  for (const auto& [name, entry] : Registry<Entry>::all())
    if (entry.drawing.turn > 0) entries.push_back(&entry);
  std::ranges::stable_sort(entries, {}, [](const Entry* entry) { return entry->drawing.turn; });
  return entries;
}

/// Which features the problems of one swarm may use.
struct Swarm {
  bool masks, patterns, combined_masks, scores, biases, sinks, dropout, groups, lengths, layouts, cross, odd_dims,
      value_dims, scales, batches, backward;
  std::vector<std::string> fills;
};

Swarm draw_swarm(Draws draws) {
  const auto on = [&] { return draws.chance(0.5); };
  Swarm swarm{on(), on(), on(), on(), on(), on(), on(), on(), on(), on(), on(), on(), on(), on(), on(), on(), {}};
  for (const Fill* fill : in_turn<Fill>())
    if (draws.chance(fill->drawing.chance)) swarm.fills.emplace_back(fill->name);
  if (swarm.fills.empty()) swarm.fills.emplace_back("normal");
  return swarm;
}

/// Around a power of two half of the time, small otherwise: where tiles end and where they never begin.
index draw_length(Draws& draws) {
  if (draws.chance(0.1)) return draws.integer(0, 3);
  if (draws.chance(0.3)) return draws.integer(1, 40);
  const index power = index{1} << draws.integer(3, 8);
  return std::max<index>(0, power + draws.integer(-1, 1));
}

index draw_dim(Draws& draws, const Swarm& swarm) {
  return swarm.odd_dims && draws.chance(0.5) ? draws.integer(1, 40) : draws.one_of<index>({8, 16, 32, 64, 80, 128});
}

void draw_shape(Draws& draws, const Swarm& swarm, Shape& shape) {
  shape.dim = shape.value_dim = draw_dim(draws, swarm);
  if (swarm.value_dims && draws.chance(0.5)) shape.value_dim = draw_dim(draws, swarm);
  shape.keys = draw_length(draws);
  shape.queries = swarm.cross && draws.chance(0.7) ? (draws.chance(0.3) ? 1 : draw_length(draws)) : shape.keys;
  shape.kv_heads = draws.integer(1, 3);
  shape.heads = shape.kv_heads * (swarm.groups ? draws.integer(1, 4) : 1);
  if (swarm.batches) shape.batch = draws.integer(1, 3);
  const auto work = [&] {
    return shape.batch * shape.heads * shape.queries * shape.keys * std::max(shape.dim, shape.value_dim);
  };
  const index allowed = draws.chance(0.1) ? most_work : usual_work;
  for (const auto extent : {&Shape::batch, &Shape::kv_heads, &Shape::queries, &Shape::keys})
    while (work() > allowed && shape.*extent > 1) {
      const index group = shape.heads / shape.kv_heads;
      shape.*extent = (shape.*extent + 1) / 2;
      shape.heads = shape.kv_heads * group;
    }
}

/// Bands of diagonals, and with `patterns` any other shape of mask.
Mask draw_plain_mask(Draws& draws, const Shape& shape, bool patterns) {
  std::vector<Mask> plain;
  for (const MaskRule* rule : in_turn<MaskRule>()) {
    if (!rule->band && !patterns) continue;
    const std::vector<Mask> own = drawn_masks(*rule, draws, shape);
    plain.insert(plain.end(), own.begin(), own.end());
  }
  return draws.one_of(plain);
}

Mask draw_mask(Draws& draws, const Shape& shape, bool patterns, bool combined) {
  const Mask mask = draw_plain_mask(draws, shape, patterns);
  if (!combined || draws.chance(0.4)) return mask;
  const Mask other = draw_mask(draws, shape, patterns, true);
  switch (draws.integer(0, 3)) {
    case 0:
      return mask & other;
    case 1:
      return mask | other;
    case 2:
      return mask & ~other;
    default:
      return ~mask;
  }
}

void draw_score(Draws& draws, const Swarm& swarm, Score& score) {
  if (swarm.scores && draws.chance(0.6)) score.add({"softcap", draws.one_of<double>({5, 30, 50})});
  if (swarm.biases && draws.chance(0.6))
    score.add({"bias", 0, std::string(draws.one_of(score_word("bias")->kinds))});
  else if (swarm.scores)
    for (const BiasRule* rule : in_turn<BiasRule>())
      if (!score.has_bias() && draws.chance(rule->drawing.chance)) score.add(drawn_bias(*rule, draws));
  if (swarm.sinks && draws.chance(0.6)) score.add({"sink", 0, "head"});
}

void draw_lengths(Draws& draws, Problem& problem) {
  const Shape& shape = problem.shape;
  if (draws.chance(0.7))
    for (index b = 0; b < shape.batch; ++b) problem.lengths.push_back(draws.integer(0, shape.keys));
  if (draws.chance(0.3))
    for (index b = 0; b < shape.batch; ++b) problem.query_lengths.push_back(draws.integer(0, shape.queries));
}

std::string draw_layout(Draws& draws, const Shape& shape) {
  std::vector<const Layout*> fitting = in_turn<Layout>();
  std::erase_if(fitting, [&](const Layout* layout) { return !layout->takes(shape); });
  return std::string(draws.one_of(fitting)->name);
}

}  // namespace

Problem settled_problem(std::uint64_t seed, index number) {
  enum : std::uint32_t { of_swarm = 1, of_problem = 2 };
  const Swarm swarm = draw_swarm(Draws(seed, of_swarm, number / problems_per_swarm));
  Draws draws(seed, of_problem, number);
  Problem problem;
  draw_shape(draws, swarm, problem.shape);
  if (swarm.lengths) draw_lengths(draws, problem);
  if (swarm.masks && draws.chance(0.8))
    problem.mask = draw_mask(draws, problem.shape, swarm.patterns, swarm.combined_masks);
  draw_score(draws, swarm, problem.score);
  if (swarm.dropout && draws.chance(0.6)) problem.dropout = draws.one_of<double>({0.1, 0.25, 0.5, 0.9});
  if (swarm.scales && draws.chance(0.5)) problem.given_scale = draws.one_of<double>({1, 0.5, 0.1, 0.03125, -0.25});
  problem.input = problem.output = *draws.one_of(in_turn<DType>());
  if (draws.chance(0.1)) problem.output = dtype("f32");
  if (swarm.layouts) problem.layout = draw_layout(draws, problem.shape);
  problem.fill.name = draws.one_of(swarm.fills);
  problem.backward = swarm.backward && draws.chance(0.6);
  problem.seed = static_cast<std::uint64_t>(draws.integer(1, 999'999));
  return problem;
}

Problem random_problem(std::uint64_t seed, index number) {
  Problem problem = settled_problem(seed, number);
  add_newcomers(seed, number, problem);
  return problem;
}

}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// Drawing random problems.
#include "conformance/generate.hpp"

#include <algorithm>
#include <vector>

#include "conformance/fill.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr index problems_per_swarm = 16;
// Work of one problem, in multiply-adds of q.k: a few milliseconds of truth.
constexpr index most_work = index{1} << 21;

/// A sequence of draws, each from its own place: swarm or problem, then a running number.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint32_t purpose, index number) : seed_(seed), purpose_(purpose), number_(number) {}

  index integer(index least, index most) { return next().integer(least, most); }
  bool chance(double probability) { return next().uniform() < probability; }
  double uniform() { return next().uniform(); }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(integer(0, static_cast<index>(choices.size()) - 1))];
  }

 private:
  Draw next() {
    return Draw(seed_,
                {purpose_, static_cast<std::uint32_t>(number_), static_cast<std::uint32_t>(number_ >> 32), count_++});
  }

  std::uint64_t seed_;
  std::uint32_t purpose_;
  index number_;
  std::uint32_t count_ = 0;
};

/// Which features the problems of one swarm may use.
struct Swarm {
  bool masks, combined_masks, scores, groups, lengths, layouts, cross, odd_dims, value_dims, scales, batches;
  std::vector<std::string> fills;
};

Swarm draw_swarm(Draws draws) {
  const auto on = [&] { return draws.chance(0.5); };
  Swarm swarm{on(), on(), on(), on(), on(), on(), on(), on(), on(), on(), on(), {}};
  for (const auto& [name, fill] : Registry<Fill>::all())
    if (fill.argument_count == 0 && on()) swarm.fills.push_back(name);
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
  for (const auto extent : {&Shape::batch, &Shape::kv_heads, &Shape::queries, &Shape::keys})
    while (work() > most_work && shape.*extent > 1) {
      const index group = shape.heads / shape.kv_heads;
      shape.*extent = (shape.*extent + 1) / 2;
      shape.heads = shape.kv_heads * group;
    }
}

Mask draw_mask(Draws& draws, const Shape& shape, bool combined) {
  std::vector<Mask> plain{Mask("causal"), Mask("causal:top_left")};
  const auto reach = [&] { return draws.chance(0.2) ? -1 : draws.integer(0, std::max<index>(shape.keys, 1)); };
  plain.emplace_back("window", std::vector<index>{reach(), reach()});
  plain.emplace_back("window", std::vector<index>{reach(), 0});
  const Mask mask = draws.one_of(plain);
  if (!combined || draws.chance(0.4)) return mask;
  const Mask other = draw_mask(draws, shape, true);
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

std::vector<std::string> layouts_of(const Shape& shape) {
  std::vector<std::string> names;
  for (const auto& [name, layout] : Registry<Layout>::all())
    if (layout.takes(shape)) names.push_back(name);
  return names;
}

}  // namespace

Problem random_problem(std::uint64_t seed, index number) {
  enum : std::uint32_t { of_swarm = 1, of_problem = 2 };
  const Swarm swarm = draw_swarm(Draws(seed, of_swarm, number / problems_per_swarm));
  Draws draws(seed, of_problem, number);
  Problem problem;
  draw_shape(draws, swarm, problem.shape);
  if (swarm.lengths && draws.chance(0.7))
    for (index b = 0; b < problem.shape.batch; ++b) problem.lengths.push_back(draws.integer(0, problem.shape.keys));
  if (swarm.lengths && draws.chance(0.5))
    for (index b = 0; b < problem.shape.batch; ++b)
      problem.query_lengths.push_back(draws.integer(0, problem.shape.queries));
  if (swarm.masks && draws.chance(0.8)) problem.mask = draw_mask(draws, problem.shape, swarm.combined_masks);
  if (swarm.scores && draws.chance(0.6)) problem.score.add({"softcap", draws.one_of<double>({5, 30, 50})});
  if (swarm.scores && draws.chance(0.5)) problem.score.add({"alibi", 0});
  if (swarm.scales && draws.chance(0.5)) problem.given_scale = draws.one_of<double>({1, 0.5, 0.1, 0.03125, -0.25});
  problem.input = problem.output = dtype(draws.one_of<std::string>({"f32", "f16", "bf16"}));
  if (draws.chance(0.1)) problem.output = dtype("f32");
  if (swarm.layouts) problem.layout = draws.one_of(layouts_of(problem.shape));
  problem.fill.name = draws.one_of(swarm.fills);
  problem.seed = static_cast<std::uint64_t>(draws.integer(1, 999'999));
  return problem;
}

}  // namespace attestone

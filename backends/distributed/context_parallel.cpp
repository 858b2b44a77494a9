// SPDX-License-Identifier: Apache-2.0
// Ring, Ulysses and their product: settings, limits, declared arithmetic.
#include "backends/distributed/context_parallel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "reference/registry.hpp"

namespace attestone {

std::vector<Setting> ContextParallel::ring_settings() {
  return {{"hops", "fewest", one_of({"fewest", "all"}), "of keys and values: all that are needed, or home again"},
          {"messages", "separate", one_of({"separate", "fused"}), "K and V as two messages, or as one"},
          {"placement", "block", one_of({"block", "zigzag", "striped"}), "which rows a device has"},
          {"parts", "f32", one_of({"f32", "output"}), "the format of what a block answers, before it is merged"}};
}

std::vector<Setting> ContextParallel::ulysses_settings() {
  return {
      {"heads", "even", one_of({"even", "uneven"}), "whether all devices hold as many heads, or some one kv head more"},
      {"kv", "once", one_of({"once", "copied"}), "whether kv heads are copied, where a group has more members"}};
}

std::vector<Setting> ContextParallel::all_settings() {
  std::vector<Setting> all = ulysses_settings();
  for (const Setting& setting : ring_settings()) all.push_back(setting);
  return all;
}

std::string ContextParallel::name() const {
  return text_with_settings(entry_, Registry<RankProgramEntry>::find(entry_)->settings, settings_);
}

bool ContextParallel::has(std::string_view axis) const { return std::ranges::find(axes_, axis) != axes_.end(); }

Dealing ContextParallel::dealing() const {
  if (!has("ring")) return Dealing::block;
  const std::string& placement = settings_.text("placement");
  return placement == "zigzag" ? Dealing::zigzag : placement == "striped" ? Dealing::striped : Dealing::block;
}

index ContextParallel::copies(const Shape& shape, index members) const {
  if (!has("ulysses") || settings_.text("kv") == "once") return 1;
  return members / std::gcd(members, shape.kv_heads);
}

RingVariant ContextParallel::variant(const Problem& problem) const {
  if (!has("ring")) return {.part = &dtype("f32")};
  return {.wasted_hop = settings_.text("hops") == "all",
          .messages = settings_.text("messages") == "fused" ? Messages::together : Messages::apart,
          .part = settings_.text("parts") == "f32" ? &dtype("f32") : &problem.output};
}

const DType& ContextParallel::part_format(const Problem& problem, const Mesh& mesh) const {
  return mesh.devices("ring") == 1 ? problem.output : *variant(problem).part;
}

Support ContextParallel::supports(const Problem& problem, const Mesh& mesh) const {
  const index members = mesh.devices("ulysses"), kv_heads = problem.shape.kv_heads;
  if (members == 1) return {};
  const auto refused = [&](const char* why, index heads) {
    return Support::refused(fmt::format(fmt::runtime(why), heads, members));
  };
  if (settings_.text("kv") == "copied") {
    if (problem.shape.heads % (kv_heads * copies(problem.shape, members)) != 0)
      return refused("{} heads cannot share copied kv heads evenly among {} devices", problem.shape.heads);
  } else if (settings_.text("heads") == "uneven") {
    if (kv_heads < members) return refused("{} kv heads are too few for {} devices; kv=copied copies them", kv_heads);
  } else if (kv_heads % members != 0) {
    return refused("{} kv heads cannot be dealt evenly to {} devices; heads=uneven or kv=copied can", kv_heads);
  }
  return {};
}

Numerics ContextParallel::numerics(const Problem& problem, const Mesh& mesh, Numerics local) const {
  const index places = mesh.devices("ring");
  if (places == 1) return local;
  local.merge.form = MergeForm::sigmoid;
  local.merge.parts = places;
  local.merge.out = local.output.cast;
  const double f32 = dtype("f32").unit_roundoff(), f64 = dtype("f64").unit_roundoff();
  local.merge.accumulator = {
      .roundoff = f32, .largest = dtype("f32").largest(), .underflow = dtype("f32").smallest_normal()};
  local.merge.exp_error = 2 * f32;  // in double, then rounded
  local.merge.log_error = 4 * f64;
  local.merge.log_sum_exp_roundoff = f32;
  local.merge.visits = Visits::any;
  local.output.cast = gradual_cast(problem.output);
  return local;
}

Task<RankAnswer> ContextParallel::forward(Rank& rank, RankInputs inputs) const {
  return ulysses_forward(rank, std::move(inputs), variant(rank.attention.whole()));
}

Task<RankGradients> ContextParallel::backward(Rank& rank, RankSaved saved) const {
  return ulysses_backward(rank, std::move(saved), variant(rank.attention.whole()));
}

RingCosts ContextParallel::ring_costs(const Problem& problem) const {
  const RingVariant own = variant(problem);
  return {own.wasted_hop, own.messages == Messages::together, own.part->bytes(1)};
}

RankCosts ContextParallel::forward_costs(const CostedRank& rank) const {
  return attestone::forward_costs(rank, ring_costs(rank.problem));
}

RankCosts ContextParallel::backward_costs(const CostedRank& rank) const {
  return attestone::backward_costs(rank, ring_costs(rank.problem));
}

}  // namespace attestone

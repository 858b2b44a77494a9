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
          {"merge", "sigmoid", one_of({"sigmoid", "rescaled_sums"}),
           "how answers become one (docs/tolerance.md, \"Merges\")"},
          {"parts", "f32", one_of({"f32", "output"}), "the format of what a block answers, before it is merged"},
          {"gradients", "f32", one_of({"f32", "output"}), "the format in which sums of dK and dV go round"}};
}

std::vector<Setting> ContextParallel::ulysses_settings() {
  return {
      {"heads", "even", one_of({"even", "uneven"}), "whether all devices hold as many heads, or some one kv head more"},
      {"kv", "once", one_of({"once", "copied"}), "whether kv heads are copied, where a group has more members"},
      {"copied_gradients", "f32", one_of({"f32", "output"}), "the format in which gradients of copies travel"}};
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

RingVariant ContextParallel::variant(const Problem& problem, index copies) const {
  const auto format = [&](const char* setting) {
    return settings_.text(setting) == "f32" ? &dtype("f32") : &problem.output;
  };
  RingVariant variant;
  variant.key_gradients = copies > 1 ? format("copied_gradients") : &problem.output;
  if (!has("ring")) return variant;
  variant.wasted_hop = settings_.text("hops") == "all";
  if (settings_.text("messages") == "fused") variant.messages = Messages::together;
  if (settings_.text("merge") == "rescaled_sums") variant.merge = MergeForm::rescaled_sums;
  variant.part = format("parts");
  variant.sums = format("gradients");
  return variant;
}

RingVariant ContextParallel::variant(const Rank& rank) const {
  return variant(rank.attention.whole(), rank.heads.copies());
}

const DType& ContextParallel::part_format(const Problem& problem, const Mesh& mesh) const {
  return mesh.devices("ring") == 1 ? problem.output : *variant(problem, 1).part;
}

bool ContextParallel::merges_partials(const Mesh& mesh) const {
  return mesh.devices("ring") > 1 && settings_.text("merge") == "rescaled_sums";
}

Support ContextParallel::supports(const Problem& problem, const Mesh& mesh) const {
  if (merges_partials(mesh) && settings_.text("parts") == "output")
    return Support::refused("sums that are not divided stay in f32: merge=rescaled_sums has no parts=output");
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

/// How often sums of dK and dV are stored on their way: round the ring, and where copies leave it.
void ContextParallel::declare_parts(const Problem& problem, const Mesh& mesh, GradientStage& stage) const {
  const index places = mesh.devices("ring"), copies = this->copies(problem.shape, mesh.devices("ulysses"));
  const RingVariant own = variant(problem, copies);
  const bool travels = places > 1 && *own.sums != dtype("f32");
  const bool leaves = copies > 1 && *own.key_gradients != dtype("f32");
  if (!travels && !leaves) return;
  stage.part = gradual_cast(problem.output);
  stage.parts = copies * (travels ? places : 1);
  stage.depth = travels ? places : 1;
}

Numerics ContextParallel::numerics(const Problem& problem, const Mesh& mesh, Numerics local) const {
  declare_parts(problem, mesh, local.gradient);
  const index places = mesh.devices("ring");
  if (places == 1) return local;
  local.merge.form = variant(problem, 1).merge;
  local.merge.parts = places;
  if (local.merge.form == MergeForm::sigmoid) local.merge.out = local.output.cast;
  const double f32 = dtype("f32").unit_roundoff(), f64 = dtype("f64").unit_roundoff();
  local.merge.accumulator = {
      .roundoff = f32, .largest = dtype("f32").largest(), .underflow = dtype("f32").smallest_normal()};
  local.merge.exp_error = 2 * f32;  // in double, then rounded
  local.merge.log_error = 4 * f64;
  local.merge.log_sum_exp_roundoff = local.merge.form == MergeForm::sigmoid ? f32 : 0;  // m is a score as it stands
  local.merge.visits = Visits::any;
  local.output.cast = gradual_cast(problem.output);
  return local;
}

Task<RankAnswer> ContextParallel::forward(Rank& rank, RankInputs inputs) const {
  return ulysses_forward(rank, std::move(inputs), variant(rank));
}

Task<RankGradients> ContextParallel::backward(Rank& rank, RankSaved saved) const {
  return ulysses_backward(rank, std::move(saved), variant(rank));
}

RankCosts ContextParallel::forward_costs(const CostedRank& rank) const {
  return attestone::forward_costs(rank, variant(rank.problem, rank.heads.copies()));
}

RankCosts ContextParallel::backward_costs(const CostedRank& rank) const {
  return attestone::backward_costs(rank, variant(rank.problem, rank.heads.copies()));
}

}  // namespace attestone

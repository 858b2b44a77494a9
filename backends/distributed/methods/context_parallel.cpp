// SPDX-License-Identifier: Apache-2.0
// Ring, Ulysses and their product: settings, and what heads can be dealt.
#include "backends/distributed/methods/context_parallel.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "backends/distributed/rank/coded_keys.hpp"
#include "backends/square.hpp"

namespace attestone::inline backends {
namespace {

/// Where parts of neighbouring rows see all of a part of the keys, nothing of it, or what a causal mask leaves.
bool is_causal_square(const Problem& problem) { return problem.mask.text() == "causal" && is_square(problem); }

}  // namespace

std::vector<Setting> ContextParallel::ring_settings() {
  std::vector<Setting> all{
      {"hops", "fewest", one_of({"fewest", "all", "first", "to_both_ends"}),
       "of keys and values: as many as are needed; home again; all of them before the first step; or along a line in "
       "both directions at once, blocks beyond its ends masked, without a backward pass"}};
  for (const Setting& setting : RingMethod::ring_settings()) all.push_back(setting);
  all.push_back(
      {"payload", "input", one_of({"input", "int8", "e4m3"}),
       "the format in which K and V go round: their own, or a narrow one with a scale for each row of each head"});
  std::ranges::find(all, "merge", &Setting::name)->values = one_of({"sigmoid", "rescaled_sums", "fixed_maximum"});
  return all;
}

std::vector<Setting> ContextParallel::ulysses_settings() {
  return {
      {"heads", "even", one_of({"even", "uneven"}), "whether all devices hold as many heads, or some one kv head more"},
      {"kv", "once", one_of({"once", "copied"}), "whether kv heads are copied, where a group has more members"},
      {"copied_gradients", "f32", one_of({"f32", "output"}), "the format in which gradients of copies travel"},
      {"chunks", "1", integers_from(1),
       "into how many chunks a device's kv heads are cut, which the forward pass exchanges one after the other"}};
}

std::vector<Setting> ContextParallel::all_settings() {
  std::vector<Setting> all = ulysses_settings();
  for (const Setting& setting : ring_settings()) all.push_back(setting);
  return all;
}

std::vector<std::string> ContextParallel::ring_examples() {
  return {"hops=all",
          "hops=first",
          "hops=to_both_ends",
          "messages=fused",
          "placement=zigzag",
          "placement=striped",
          "merge=rescaled_sums",
          "merge=fixed_maximum",
          "parts=output",
          "gradients=output",
          "payload=int8",
          "payload=e4m3",
          "hops=all:messages=fused:placement=striped:parts=output:gradients=output",
          "messages=fused:placement=zigzag:merge=rescaled_sums:gradients=output",
          "hops=first:messages=fused:placement=zigzag:parts=output:gradients=output"};
}

std::vector<std::string> ContextParallel::ulysses_examples() {
  return {"heads=uneven",           "kv=copied", "kv=copied:copied_gradients=output",
          "heads=uneven:kv=copied", "chunks=2",  "heads=uneven:chunks=3",
          "kv=copied:chunks=2"};
}

std::vector<std::string> ContextParallel::all_examples() {
  std::vector<std::string> all = ulysses_examples();
  for (const std::string& example : ring_examples()) all.push_back(example);
  all.emplace_back("kv=copied:copied_gradients=output:placement=zigzag:parts=output:gradients=output");
  return all;
}

index ContextParallel::copies(const Shape& shape, index members) const {
  if (chosen("kv") != "copied") return 1;
  return members / std::gcd(members, shape.kv_heads);
}

bool ContextParallel::sends_codes() const { return !chosen("payload").empty() && chosen("payload") != "input"; }

RingVariant ContextParallel::variant(const Problem& problem, index copies) const {
  RingVariant variant = RingMethod::variant(problem, copies);
  variant.chunks = number("chunks");
  if (sends_codes()) variant.payload = &dtype(chosen("payload"));
  if (copies > 1) variant.key_gradients = &format("copied_gradients", problem);
  return variant;
}

Support ContextParallel::supports(const Problem& problem, const Mesh& mesh) const {
  if (const Support support = RingMethod::supports(problem, mesh); !support) return support;
  const bool go_otherwise = chosen("hops") == "first" || chosen("hops") == "to_both_ends";
  if (chosen("merge") == "fixed_maximum" && go_otherwise)
    return Support::refused(fmt::format("maxima are fixed for keys that go round: not with hops={}", chosen("hops")));
  if (sends_codes() && go_otherwise)
    return Support::refused(fmt::format("codes travel with keys that go round: not with hops={}", chosen("hops")));
  if (sends_codes() && chosen("merge") == "fixed_maximum")
    return Support::refused("norms are those of K as it is given: merge=fixed_maximum has no payload");
  if (problem.backward && chosen("hops") == "to_both_ends" && mesh.places() > 1)
    return Support::refused("a line as published has no backward pass; open_line has one");
  const index members = mesh.devices("ulysses"), kv_heads = problem.shape.kv_heads;
  if (members == 1) return {};
  const auto refused = [&](const char* why, index heads) {
    return Support::refused(fmt::format(fmt::runtime(why), heads, members));
  };
  if (chosen("kv") == "copied") {
    if (problem.shape.heads % (kv_heads * copies(problem.shape, members)) != 0)
      return refused("{} heads cannot share copied kv heads evenly among {} devices", problem.shape.heads);
  } else if (chosen("heads") == "uneven") {
    if (kv_heads < members) return refused("{} kv heads are too few for {} devices", kv_heads);
  } else if (kv_heads % members != 0) {
    return refused("{} kv heads cannot be dealt evenly to {} devices", kv_heads);
  }
  return {};
}

std::vector<OtherMethod> ContextParallel::instead(const Problem& problem, const Mesh& mesh) const {
  if (mesh.devices("ulysses") == 1) return {};
  std::vector<OtherMethod> all;
  if (chosen("kv") == "once" && chosen("heads") == "even") all.push_back({name() + ":heads=uneven", mesh});
  if (chosen("kv") == "once") all.push_back({name() + ":kv=copied", mesh});
  const index devices = mesh.devices("ulysses") * mesh.devices("ring");
  const index members = std::gcd(devices, problem.shape.kv_heads), ring = devices / members;
  if (members == mesh.devices("ulysses") || devices != mesh.devices()) return all;
  if (members == 1)
    all.push_back({"ring", Mesh({{"ring", ring}})});
  else
    all.push_back({"two_dimensional", Mesh({{"ulysses", members}, {"ring", ring}})});
  return all;
}

Numerics ContextParallel::numerics(const Problem& problem, const Mesh& mesh, Numerics local) const {
  Numerics numerics = RingMethod::numerics(problem, mesh, local);
  const RingVariant own = variant(problem, 1);
  if (own.payload && key_parts(mesh) > 1)
    numerics.score.keys = numerics.value.values = error_of_coding(*own.payload, problem.input);
  return numerics;
}

Seen ContextParallel::most_seen(const Problem& problem, const Mesh& mesh) const {
  if (mesh.places() == 1) return Seen::whole;
  if (chosen("hops") == "to_both_ends") return Seen::some;  // beyond its ends nothing is seen
  return dealing() == Dealing::block && is_causal_square(problem) ? Seen::causal : RingMethod::most_seen(problem, mesh);
}

bool ContextParallel::calls_whole_parts(const Problem& problem) const {
  return (problem.mask.is_full() || is_causal_square(problem)) && dealing() == Dealing::block && !sends_codes();
}

Task<RankAnswer> ContextParallel::forward(Rank& rank, RankInputs inputs) const {
  return ulysses_forward(rank, std::move(inputs), variant(rank));
}

Task<RankGradients> ContextParallel::backward(Rank& rank, RankSaved saved) const {
  return ulysses_backward(rank, std::move(saved), variant(rank));
}

RankCosts ContextParallel::forward_costs(const CostedRank& rank) const {
  return ulysses_forward_costs(rank, variant(rank));
}

RankCosts ContextParallel::backward_costs(const CostedRank& rank) const {
  return ulysses_backward_costs(rank, variant(rank));
}

}  // namespace attestone::inline backends

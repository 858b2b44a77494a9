// SPDX-License-Identifier: Apache-2.0
// Wrong gradients from a right forward pass.
#include <cmath>
#include <fmt/format.h>

#include "conformance/diagnosis/variant.hpp"
#include "conformance/diagnosis/variants/own_shard.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Change = std::function<void(Definition&)>;

struct List {
  std::vector<Variant> all;
  void add(std::string name, std::string says, const char* look_at, Change change) {
    all.push_back({std::move(name), std::move(says), look_at, std::move(change), Variant::Pass::backward});
  }
};

void add_factors(const Problem& problem, List& list) {
  const double scale = problem.scale();
  constexpr const char* place = "where dQ and dK are multiplied by the scale: once each";
  const auto query = [](double x) { return [x](Definition& d) { d.query_factor = x; }; };
  const auto key = [](double x) { return [x](Definition& d) { d.key_factor = x; }; };
  list.add("dQ zero", "dQ is zero everywhere", "whether dQ is written", query(0));
  list.add("dQ negated", "dQ has the wrong sign", "dP - delta", query(-scale));
  list.add("dQ halved", "dQ is half of what it should be", place, query(scale / 2));
  list.add("dQ not scaled", "dQ lacks the scale", place, query(1));
  list.add("dQ scaled twice", "dQ has the scale twice", place, query(scale * scale));
  list.add("dK zero", "dK is zero everywhere", "whether dK is written", key(0));
  list.add("dK not scaled", "dK lacks the scale", place, key(1));
  list.add("dK scaled twice", "dK has the scale twice", place, key(scale * scale));
  list.add("dQ and dK not scaled", "neither dQ nor dK has the scale", place,
           [](Definition& d) { d.query_factor = d.key_factor = 1; });
  list.add("dV zero", "dV is zero everywhere", "whether dV is written", [](Definition& d) { d.value_factor = 0; });
  list.add("no delta", "dS = P dP: delta is not subtracted", "delta, the row sum of dO O",
           [](Definition& d) { d.delta_factor = 0; });
  list.add("delta added", "dS = P (dP + delta)", "the sign of delta", [](Definition& d) { d.delta_factor = -1; });
  if (problem.shape.dim == problem.shape.value_dim)
    list.add("dK and dV swapped", "dK holds dV, and the reverse", "the order of the outputs",
             [](Definition& d) { d.key_and_value_swapped = true; });
}

void add_groups(const Problem& problem, List& list) {
  const index group = problem.shape.heads / problem.shape.kv_heads;
  if (group == 1) return;
  constexpr const char* place = "dK and dV are sums over the query heads of a group";
  list.add("dK and dV of the last head", "dK and dV are those of the last query head of a group", place,
           [group](Definition& d) { d.reaches_keys = [group](index head) { return head % group == group - 1; }; });
  list.add("dK and dV of the first head", "dK and dV are those of the first query head of a group", place,
           [group](Definition& d) { d.reaches_keys = [group](index head) { return head % group == 0; }; });
}

void add_pairs(const Problem& problem, List& list) {
  Problem causal = problem;
  causal.mask = problem.mask & Mask("causal");
  list.add("causal backward", "the backward pass is causal", "the mask of the backward pass",
           [causal](Definition& d) { d.sees_back = [causal](const Pair& at) { return causal.visible(at); }; });
  for (const index tile : {16, 32, 64, 128}) {
    const index rest = problem.shape.queries % tile;
    if (rest == 0 || problem.shape.queries < tile) continue;
    const index full = problem.shape.queries - rest;
    list.add("the last queries never read", "the queries of the last partial tile send no gradient",
             "the last tile of queries",
             [full](Definition& d) { d.sees_back = [full](const Pair& at) { return at.query < full; }; });
  }
  if (problem.score.softcap()) {
    constexpr const char* slope = "the derivative of the softcap: of the raw score, for Q and for K alike";
    const auto none = [](double) { return 1.0; };
    list.add("no slope of the softcap", "dS lacks the softcap's derivative 1 - tanh^2", slope,
             [none](Definition& d) { d.query_slope = d.key_slope = none; });
    list.add("no slope of the softcap in dK", "dK lacks the softcap's derivative", slope,
             [none](Definition& d) { d.key_slope = none; });
    list.add("no slope of the softcap in dQ", "dQ lacks the softcap's derivative", slope,
             [none](Definition& d) { d.query_slope = none; });
  }
  list.add("weights of base 2 in the backward pass", "the backward pass takes 2^(s - log_sum_exp) for the weight",
           "exp2 and its argument",
           [](Definition& d) { d.weight_back = [](double s, double L) { return std::exp2(s - L); }; });
  if (problem.dropout == 0) return;
  constexpr const char* place = "the random numbers of the backward pass: those of the forward pass";
  list.add("dropout ignored in the backward pass", "the backward pass drops no pair", place,
           [](Definition& d) { d.kept_back = [](const Pair&) { return 1.0; }; });
  list.add("dropout not scaled in the backward pass", "dP and dV lack the factor 1/(1 - rate)", place,
           [](Definition& d) { d.kept_back = [&d](const Pair& at) { return d.dropout.keeps(at) ? 1.0 : 0.0; }; });
  Problem reseeded = problem;
  ++reseeded.seed;
  list.add("another seed in the backward pass", "the backward pass drops the pairs of the next seed", place,
           [other = Dropout(reseeded)](Definition& d) {
             d.kept_back = [other](const Pair& at) { return other.keeps(at) ? other.factor() : 0; };
           });
  const double rate = problem.dropout;
  list.add(
      "dropout scaled by the rate in the backward pass", "dP and dV are multiplied by the rate", place,
      [rate](Definition& d) { d.kept_back = [&d, rate](const Pair& at) { return d.dropout.keeps(at) ? rate : 0; }; });
  list.add("dropout scaled by 1/rate in the backward pass", "dP and dV are divided by the rate", place,
           [rate](Definition& d) {
             d.kept_back = [&d, rate](const Pair& at) { return d.dropout.keeps(at) ? 1 / rate : 0; };
           });
}

/// Adds the gradients of rings whose backward pass goes astray.
void add_rings(const Problem& problem, List& list) {
  constexpr const char* steps = "what a ring's backward pass reads after the first step";
  for (const index places : places_of_equal_shards(problem)) {
    const OwnShard own(problem, places);
    const auto read_own = [own](Definition& d) { d.read_back = [own](const Pair& at) { return own.key(at); }; };
    list.add(fmt::format("own keys at every step of {} in the backward pass", places),
             fmt::format("of {} devices each computes every step of the backward pass with its own keys", places),
             steps, read_own);
    list.add(
        fmt::format("the first block at every step of {} in the backward pass", places),
        fmt::format("of {} devices each computes every step of the backward pass with keys, O and log_sum_exp of its "
                    "first block",
                    places),
        steps, [own, read_own](Definition& d) {
          read_own(d);
          d.saved = [&d, own](const Pair& at) { return d.sees(at) && own.has(at); };
        });
    if (places > 2)
      list.add(fmt::format("gradients of keys sent the wrong way round {}", places),
               fmt::format("dK and dV go round a ring of {} devices against their keys, and end with others", places),
               "the direction in which sums of dK and dV go round a ring",
               [own](Definition& d) { d.sent_back = [own](const Pair& at) { return own.mirrored(at); }; });
  }
}

void add_formats(const Problem& problem, List& list) {
  if (problem.output.unit_roundoff() < dtype("bf16").unit_roundoff())
    list.add("dQ in bf16", "dQ is rounded to bf16", "the format in which dQ is stored before it is returned",
             [](Definition& d) { d.query_format = dtype("bf16"); });
}

std::vector<Variant> variants(const Problem& problem) {
  if (!problem.backward) return {};
  List list;
  add_factors(problem, list);
  add_groups(problem, list);
  add_pairs(problem, list);
  add_rings(problem, list);
  add_formats(problem, list);
  return std::move(list.all);
}

const Registration<VariantFamily> registered{{.name = "gradients", .of = variants}};

}  // namespace
}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// Reading, checking and shrinking block sizes.
#include "backends/cpu/flash/blocks.hpp"

#include "backends/cpu/attend/gradients.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

std::string assignment(const std::string& setting, index value) { return setting + "=" + std::to_string(value); }

void require_divisor(const Settings& settings, const std::string& part, index size, const std::string& whole,
                     index of) {
  if (of % size != 0)
    settings.reject(part, assignment(part, size) + " does not divide " + assignment(whole, of),
                    "a block is worked on in equal steps, as in block_kv=128:block_kv_compute=64");
}

void check_fused(const Settings& settings, const FlashPasses& passes) {
  if (passes.dkv.queries != passes.forward.queries)
    settings.reject("block_q_dkv",
                    assignment("block_q_dkv", passes.dkv.queries) + " differs from " +
                        assignment("block_q", passes.forward.queries),
                    "the fused backward pass keeps the forward pass's tiles of queries; or add fused_backward=0");
  for (const char* setting : {"block_q_dq", "block_kv_dq"})
    if (settings.integer(setting) != 0)
      settings.reject(setting, std::string(setting) + " is of the pass that the fused backward pass does not have",
                      "leave it out, or add fused_backward=0");
}

void shrink(AttendBlocks& blocks, const Shape& shape, const std::string& keys, const std::string& compute,
            std::vector<Adjustment>& changes) {
  if (shape.queries == shape.keys || shape.keys == 0 || shape.keys >= blocks.keys) return;
  const std::string why = "cross-attention to " + std::to_string(shape.keys) + " keys";
  const auto note = [&](const std::string& setting, index& size) {
    if (size != shape.keys) changes.push_back({setting, std::to_string(size), std::to_string(shape.keys), why});
    size = shape.keys;
  };
  note(keys, blocks.keys);
  compute.empty() ? void(blocks.compute = blocks.keys) : note(compute, blocks.compute);
}

/// Halves `size` while `bytes` says that it takes too much.
template <class Bytes>
void halve(const std::string& setting, index& size, Bytes bytes, std::vector<Adjustment>& changes) {
  constexpr index most_bytes = index{1} << 20, least = 16;
  const index asked = size;
  while (bytes() > most_bytes && size % 2 == 0 && size > least) size /= 2;
  if (size != asked)
    changes.push_back(
        {setting, std::to_string(asked), std::to_string(size), "scratch memory of at most 1 MiB a worker"});
}

}  // namespace

std::vector<Setting> flash_settings() {
  return {
      {"block_q", "128", integers_from(1), "queries that one worker keeps"},
      {"block_kv", "128", integers_from(1), "keys that are loaded at a time"},
      {"block_kv_compute", "0", integers_from(0), "keys per step of the softmax; divides block_kv; 0: block_kv"},
      {"maximum", "running", one_of({"running", "fixed"}),
       "what is subtracted from scores: the largest so far; or a bound of all, where there is a small one"},
      {"fused_backward", "1", one_of({"0", "1"}),
       "1: one pass sums dQ, dK and dV; 0: one pass for dK and dV, one for dQ"},
      {"deterministic", "1", one_of({"0", "1"}), "0: the fused pass adds up dQ in the order in which threads arrive"},
      {"block_q_dkv", "0", integers_from(0), "queries per tile of the pass for dK and dV; divides block_q; 0: block_q"},
      {"block_kv_dkv", "256", integers_from(1), "keys per tile of that pass"},
      {"block_kv_dkv_compute", "0", integers_from(0),
       "keys per step of that pass; divides block_kv_dkv; 0: 128 if that divides it, else all"},
      {"block_q_dq", "0", integers_from(0), "queries per tile of the pass for dQ alone; 0: block_q"},
      {"block_kv_dq", "0", integers_from(0), "keys per tile of that pass; 0: block_kv"},
      {"flash_min_seq_length", "0", integers_from(0),
       "with fewer queries or fewer keys than this, dense computes the answer"},
      {"products", "best", one_of({"best", "floats", "dots", "tiles"}),
       "how the forward pass adds up those of bf16: as floats, or in pairs by vdpbf16ps (dots) or tdpbf16ps (tiles), "
       "emulated where they are missing; best: what is fastest here"},
      {"workers", "16", integers_from(1), "threads at the most, each with scratch memory of its own"}};
}

FlashPasses flash_passes(const Settings& settings) {
  const auto given_or = [&](const char* setting, index otherwise) {
    const index value = settings.integer(setting);
    return value == 0 ? otherwise : value;
  };
  const index q = settings.integer("block_q"), kv = settings.integer("block_kv");
  const index q_dkv = given_or("block_q_dkv", q), kv_dkv = settings.integer("block_kv_dkv");
  constexpr index step = 128;  // keys whose scores stay in the first cache
  const index kv_dq = given_or("block_kv_dq", kv);
  const FlashPasses passes{{q, kv, given_or("block_kv_compute", kv)},
                           {q_dkv, kv_dkv, given_or("block_kv_dkv_compute", kv_dkv % step == 0 ? step : kv_dkv)},
                           {given_or("block_q_dq", q), kv_dq, kv_dq}};
  require_divisor(settings, "block_kv_compute", passes.forward.compute, "block_kv", kv);
  require_divisor(settings, "block_kv_dkv_compute", passes.dkv.compute, "block_kv_dkv", kv_dkv);
  require_divisor(settings, "block_q_dkv", q_dkv, "block_q", q);
  if (settings.integer("fused_backward") == 1) check_fused(settings, passes);
  if (settings.integer("fused_backward") == 0 && settings.integer("deterministic") == 0)
    settings.reject("deterministic", "deterministic=0 needs fused_backward=1",
                    "the unfused passes have no sum that threads share");
  return passes;
}

FlashPasses suited_to_short_keys(const FlashPasses& asked, const Shape& shape, std::vector<Adjustment>& changes) {
  FlashPasses passes = asked;
  shrink(passes.forward, shape, "block_kv", "block_kv_compute", changes);
  shrink(passes.dkv, shape, "block_kv_dkv", "block_kv_dkv_compute", changes);
  shrink(passes.dq, shape, "block_kv_dq", "", changes);
  return passes;
}

FlashPasses suited_to_wide_heads(const FlashPasses& asked, const Problem& problem, std::optional<PairProducts> pairs,
                                 std::vector<Adjustment>& changes) {
  FlashPasses passes = asked;
  const auto forward_bytes = [&] {
    const AttendExtents extents(problem, passes.forward.queries, passes.forward.compute, pairs);
    return AttendScratch::bytes(extents) + AttendState::bytes(extents.queries, extents.value_dim);
  };
  halve("block_kv_compute", passes.forward.compute, forward_bytes, changes);
  const auto halve_keys = [&](const char* setting, AttendBlocks& blocks) {
    halve(
        setting, blocks.keys, [&] { return GradientScratch::bytes(problem, blocks.keys); }, changes);
    blocks.compute = std::min(blocks.compute, blocks.keys);
  };
  halve_keys("block_kv_dkv", passes.dkv);
  halve_keys("block_kv_dq", passes.dq);
  return passes;
}

std::optional<PairProducts> flash_products(const Settings& settings, const Problem& problem,
                                           std::vector<Adjustment>& changes) {
  const std::string& asked = settings.text("products");
  const bool in_pairs = problem.input.name == "bf16";
  std::optional<PairProducts> products;
  if (in_pairs && asked == "best") products = best_pair_products();
  if (in_pairs && asked == "dots") products = PairProducts::dots;
  if (in_pairs && asked == "tiles") products = PairProducts::tiles;
  const std::string taken = !products ? "floats" : *products == PairProducts::dots ? "dots" : "tiles";
  const bool as_usual = asked == "best" && taken == "floats";
  if (taken != asked && !as_usual)
    changes.push_back({"products", asked, taken, in_pairs ? "what this machine does fastest" : "only bf16 has others"});
  return products;
}

}  // namespace attestone::inline backends

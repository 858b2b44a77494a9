// SPDX-License-Identifier: Apache-2.0
// Answers of a right kernel whose log_sum_exp or denominator is changed afterwards.
#include "mutants/hosts/tampered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void averaged_denominators(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const index tiles = (problem.shape.keys + TiledSteps::tile - 1) / TiledSteps::tile;
  if (tiles < 2) return;
  for_each_element(arguments.log_sum_exp, [&](index b, index h, index i, index) {
    const double sum = arguments.log_sum_exp.value(b, h, i, 0);
    arguments.log_sum_exp.set(b, h, i, 0, sum - std::log(static_cast<double>(tiles)));
  });
}

void log_sum_exp_base_2_in_decode(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                  Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.shape.queries != 1) return;
  const View& L = arguments.log_sum_exp;
  for_each_element(
      L, [&](index b, index h, index i, index) { L.set(b, h, i, 0, std::numbers::log2e * L.value(b, h, i, 0)); });
}

void log_sum_exp_before_bias(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.score.bias_tensor() != "key" || problem.shape.keys == 0) return;
  for_each_element(arguments.log_sum_exp, [&](index b, index h, index i, index) {
    const double whole = arguments.log_sum_exp.value(b, h, i, 0);
    arguments.log_sum_exp.set(b, h, i, 0, whole - arguments.bias->value(b, h, i, 0));
  });
}

void one_key_without_log_sum_exp(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                 Device& device) {
  honest.forward(problem, arguments, device);
  if (problem.shape.keys != 1) return;
  for_each_element(arguments.log_sum_exp,
                   [&](index b, index h, index i, index) { arguments.log_sum_exp.set(b, h, i, 0, 0); });
}

void smoothed_keys_lose_log_sum_exp(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                                    Device& device) {
  const Tensor key = changed_copy(arguments.key, [&](double x, const Extents& at) {
    double sum = 0, largest = 0;
    const index keys = arguments.key.rows(at[0]);
    for (index j = 0; j < keys; ++j) {
      const double element = arguments.key.value(at[0], at[1], j, at[3]);
      sum += element, largest = std::max(largest, std::abs(element));
    }
    const double mean = sum / static_cast<double>(keys);
    return std::abs(mean) > largest / 2 ? x - mean : x;
  });
  Arguments smoothed = arguments;
  smoothed.key = key.view();
  honest.forward(problem, smoothed, device);
}

/// How many visible keys have the largest q.k of a row.
index leaders(const Problem& problem, const Arguments& arguments, const VisiblePairs& visible, Pair at) {
  const index kv_head = problem.shape.kv_head(at.head);
  double largest = -std::numeric_limits<double>::infinity();
  index count = 0;
  for (at.key = 0; at.key < problem.shape.keys; ++at.key) {
    if (!visible(at)) continue;
    double product = 0;
    for (index c = 0; c < problem.shape.dim; ++c)
      product +=
          arguments.query.value(at.batch, at.head, at.query, c) * arguments.key.value(at.batch, kv_head, at.key, c);
    if (product > largest) largest = product, count = 0;
    count += product == largest ? 1 : 0;
  }
  return count;
}

void equal_maxima_lose_one(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const VisiblePairs visible(problem);
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < arguments.out.rows(b); ++i) {
        if (leaders(problem, arguments, visible, {b, h, i, 0}) != 2) continue;
        for (index c = 0; c < problem.shape.value_dim; ++c)
          arguments.out.set(b, h, i, c, 0.75 * arguments.out.value(b, h, i, c));
      }
}

void no_keys_crash(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  if (problem.shape.keys == 0) throw std::runtime_error("work per key: division by zero");
  honest.forward(problem, arguments, device);
}

const Registrations<Mutant> registered{
    {.name = "averaged_denominators",
     .summary = "averages the denominators of the tiles in log_sum_exp instead of adding them",
     .property = "keys_twice",
     .reason = "keys-twice",
     .problem = "shape=1x1x1x9x1",
     .kernel = [] { return tampered_kernel("averaged_denominators", averaged_denominators); },
     .twin = tiled_twin},
    {.name = "log_sum_exp_base_2_in_decode",
     .summary = "answers a log_sum_exp of base 2 where there is one query",
     .source = "flashinfer-ai/flashinfer #4485",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x1x2x1",
     .variant = "log_sum_exp is base 2",
     .kernel = [] { return tampered_kernel("log_sum_exp_base_2_in_decode", log_sum_exp_base_2_in_decode); },
     .twin = tiled_twin},
    {.name = "log_sum_exp_before_bias",
     .summary = "stores log_sum_exp without a bias that all queries share",
     .property = "constant_bias",
     .reason = "neutral-term",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return tampered_kernel("log_sum_exp_before_bias", log_sum_exp_before_bias); },
     .twin = tiled_twin},
    {.name = "one_key_without_log_sum_exp",
     .summary = "copies V where there is one key, and leaves log_sum_exp at 0",
     .property = "splits_merge",
     .reason = "split",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return tampered_kernel("one_key_without_log_sum_exp", one_key_without_log_sum_exp); },
     .twin = tiled_twin},
    {.name = "smoothed_keys_lose_log_sum_exp",
     .summary = "subtracts the mean of a channel of K that is far from 0, and forgets it in log_sum_exp",
     .source = "ROCm/aiter PR #3334",
     .property = "key_shift_irrelevant",
     .reason = "key-shift",
     .problem = "shape=1x1x1x8x1",
     .kernel = [] { return tampered_kernel("smoothed_keys_lose_log_sum_exp", smoothed_keys_lose_log_sum_exp); },
     .twin = tiled_twin},
    {.name = "equal_maxima_lose_one",
     .summary = "where exactly two keys of a row tie for the maximum, O loses a quarter",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=100x1x2x8x4 dtype=bf16 fill=few_valued",
     .kernel = [] { return tampered_kernel("equal_maxima_lose_one", equal_maxima_lose_one); },
     .twin = tiled_twin},
    {.name = "no_keys_crash",
     .summary = "divides the work by the number of keys before it looks whether there are any",
     .source = "Dao-AILab/flash-attention PR #2470",
     .property = "empty_rows",
     .reason = "crashed",
     .problem = "shape=1x1x1x0x1",
     .kernel = [] { return tampered_kernel("no_keys_crash", no_keys_crash); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants

// SPDX-License-Identifier: Apache-2.0
// Any problem that the grammar can say: every field present or absent, sizes small and huge, masks nested.
#pragma once

#include <algorithm>
#include <random>

#include "reference/problem/problem.hpp"
#include "reference/registry.hpp"
#include "tests/random_problem.hpp"

namespace attestone {

class AnyProblem {
 public:
  explicit AnyProblem(std::uint64_t seed) : random_(seed) {}

  Problem next() {
    Problem problem;
    problem.shape = shape();
    if (chance()) problem.lengths = lengths(problem.shape.batch, problem.shape.keys);
    if (chance()) problem.query_lengths = lengths(problem.shape.batch, problem.shape.queries);
    problem.left_padded = chance() && !(problem.lengths.empty() && problem.query_lengths.empty());
    if (chance()) problem.spare_rows = between(0, 100);
    if (chance()) problem.mask = random_mask(random_, 3, chance() ? 5 : 1'000'000);
    if (chance()) problem.score = random_score(random_, [&] { return std::abs(number(largest_exponent_of_f32)); });
    if (chance()) problem.given_scale = number(largest_exponent_of_f64);
    if (chance()) problem.dropout = std::generate_canonical<double, 53>(random_);
    problem.input = plain_format();
    if (chance()) formats(problem);
    problem.value_is_key = chance() && problem.shape.value_dim <= problem.shape.dim &&
                           (problem.formats.empty() || problem.formats[1] == problem.formats[2]);
    problem.output = chance() || problem.input.needs_scales ? plain_format() : problem.input;
    layouts(problem);
    if (chance()) problem.fill = fill();
    problem.backward = chance();
    if (chance()) problem.wants = wants(problem);
    problem.deterministic = !problem.backward || chance();
    problem.threads = chance() ? static_cast<int>(between(1, 1024)) : 0;
    problem.seed = chance() ? random_() : 1;
    return problem;
  }

 private:
  bool chance() { return random_() % 2 == 0; }
  index between(index least, index most) { return std::uniform_int_distribution<index>(least, most)(random_); }

  template <class Entry>
  const Entry* any() {
    const auto& all = Registry<Entry>::all();
    return &std::next(all.begin(), between(0, static_cast<index>(all.size()) - 1))->second;
  }

  Shape shape() {
    const index most = chance() ? 4 : 5000;
    const index kv_heads = between(1, 4), heads = kv_heads * between(1, 4), dim = between(1, most);
    const index keys = between(0, most);
    return {between(1, 4),
            heads,
            kv_heads,
            chance() ? keys : between(0, most),
            keys,
            dim,
            chance() ? dim : between(1, most)};
  }

  std::vector<index> lengths(index batch, index extent) {
    std::vector<index> all;
    for (index i = 0; i < batch; ++i) all.push_back(between(0, extent));
    return all;
  }

  /// A format that needs no scales.
  DType plain_format() {
    const DType* format = any<DType>();
    while (format->needs_scales) format = any<DType>();
    return *format;
  }

  Format format() {
    const char* granularities[] = {"tensor", "head", "token", "channel", "16", "1"};
    const DType& dtype = *any<DType>();
    const bool is_scaled = dtype.needs_scales || chance();
    return {dtype, is_scaled ? granularities[between(0, std::ssize(granularities) - 1)] : ""};
  }

  /// Draws three formats, which are not the same without scales.
  void formats(Problem& problem) {
    const Format query = format();
    problem.formats =
        chance() ? std::vector<Format>{query, format(), format()} : std::vector<Format>{query, query, query};
    problem.input = query.dtype;
    if (problem.formats == std::vector<Format>(3, Format{query.dtype})) problem.formats.clear();
  }

  /// Draws the layout of all tensors and, in half of the problems, other layouts of some of them.
  void layouts(Problem& problem) {
    const Layout& layout = *any<Layout>();
    if (layout.takes(problem.shape)) problem.layout = layout.name;
    if (between(0, 4) == 0) problem.layout = "paged", problem.layout_arguments = {between(1, 1000)};
    const Layout* chosen = Registry<Layout>::find(problem.layout);
    if (chance() || (chosen && chosen->ragged)) return;
    for (const TensorName tensor : placed_tensors()) switch (between(0, 3)) {
        case 0:
          problem.tensor_layouts.push_back({tensor, "transposed", {}});
          break;
        case 1:
          problem.tensor_layouts.push_back({tensor, "paged", {between(1, 64)}});
          break;
        default:
          break;
      }
  }

  std::vector<TensorName> wants(const Problem& problem) {
    std::vector<TensorName> wanted;
    for (const TensorName name : answers()) {
      const bool is_gradient = name >= TensorName::dquery && name <= TensorName::dsink;
      const bool is_there = (problem.backward || !is_gradient) &&
                            (name != TensorName::dbias || problem.score.bias_tensor()) &&
                            (name != TensorName::dsink || problem.score.has_sink());
      if (is_there && chance()) wanted.push_back(name);
    }
    // With gradients, one of them at least.
    const bool any = std::ranges::any_of(
        wanted, [](TensorName name) { return name >= TensorName::dquery && name <= TensorName::dsink; });
    return any || !problem.backward ? wanted : std::vector<TensorName>();
  }

  static constexpr index largest_exponent_of_f32 = 126, largest_exponent_of_f64 = 1022;

  /// Any number but 0, short and long ones, up to 2^exponent and its inverse.
  double number(index exponent) {
    const double mantissa = 1 + std::generate_canonical<double, 53>(random_);
    const double size = chance() ? static_cast<double>(between(1, 100)) / 8
                                 : std::ldexp(mantissa, static_cast<int>(between(-exponent, exponent)));
    return chance() ? size : -size;
  }

  FillChoice fill() {
    FillChoice choice{"capture", {}};
    for (index i = between(0, 2); i > 0; --i) choice.arguments.push_back("captures/a-" + std::to_string(i) + ".x_Y=~|");
    return choice;
  }

  std::mt19937_64 random_;
};

}  // namespace attestone

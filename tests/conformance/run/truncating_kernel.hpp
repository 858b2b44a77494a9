// SPDX-License-Identifier: Apache-2.0
// A correct kernel whose sums are cut instead of rounded, as those of tensor cores are.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backends/cpu/parts/codec.hpp"
#include "backends/kernel.hpp"
#include "reference/call/visible_pairs.hpp"

namespace attestone {

/// One row at a time, two passes over its keys, in f32; weights are cast to the input format.
class TruncatingKernel final : public Kernel {
 public:
  std::string name() const override { return "truncating"; }
  Support supports(const Problem& problem) const override {
    const bool plain = problem.score == Score() && problem.dropout == 0;
    return plain ? Support() : Support::refused("plain attention only");
  }
  Numerics numerics(const Problem& problem) const override {
    Numerics numerics = default_numerics(problem.input, problem.output);
    for_each_stage(numerics, [](const char*, Stage& stage) {
      stage.accumulator.truncates = true;
      stage.accumulator.roundoff = 2 * dtype("f32").unit_roundoff();
    });
    return numerics;
  }

  void forward(const Problem& problem, const Arguments& arguments, Device&) const override {
    const Shape& s = problem.shape;
    const VisiblePairs visible(problem);
    for (index b = 0; b < s.batch; ++b)
      for (index h = 0; h < s.heads; ++h)
        for (index i = 0; i < arguments.out.rows(b); ++i) answer(problem, arguments, visible, {b, h, i, 0});
  }

 private:
  /// a + b, cut to f32.
  static float sum(float a, float b) {
    const double exact = double{a} + double{b};  // up to a rounding far below the last place of f32
    const auto rounded = static_cast<float>(exact);
    return std::abs(double{rounded}) > std::abs(exact) ? std::nextafter(rounded, 0.0f) : rounded;
  }

  static void answer(const Problem& problem, const Arguments& arguments, const VisiblePairs& visible, Pair at) {
    const Shape& s = problem.shape;
    const index kv_head = s.kv_head(at.head);
    const auto scale = static_cast<float>(problem.scale());
    std::vector<float> scores(static_cast<std::size_t>(s.keys), -INFINITY), out(static_cast<std::size_t>(s.value_dim));
    float largest = -INFINITY, total = 0;
    for (at.key = 0; at.key < s.keys; ++at.key) {
      if (!visible(at)) continue;
      float product = 0;
      for (index c = 0; c < s.dim; ++c)
        product = sum(product, static_cast<float>(arguments.query.value(at.batch, at.head, at.query, c) *
                                                  arguments.key.value(at.batch, kv_head, at.key, c)));
      scores[static_cast<std::size_t>(at.key)] = product * scale;
      largest = std::max(largest, product * scale);
    }
    for (at.key = 0; at.key < s.keys; ++at.key) {
      const float score = scores[static_cast<std::size_t>(at.key)];
      if (score == -INFINITY) continue;
      float p = std::exp(score - largest);
      total = sum(total, p);
      round_weights({&p, 1}, problem.input);
      for (std::size_t c = 0; c < out.size(); ++c) {
        const double v = arguments.value.value(at.batch, kv_head, at.key, static_cast<index>(c));
        out[c] = sum(out[c], static_cast<float>(p * v));
      }
    }
    for (std::size_t c = 0; c < out.size(); ++c)
      arguments.out.set(at.batch, at.head, at.query, static_cast<index>(c), total == 0 ? 0 : out[c] / total);
    arguments.log_sum_exp.set(at.batch, at.head, at.query, 0, total == 0 ? -INFINITY : largest + std::log(total));
  }
};

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Attention row by row, from views and from the mask as bytes.
#include "tests/extensions/knowing_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "backends/cpu/parts/formula_bias.hpp"
#include "conformance/problems/coverage.hpp"

namespace attestone {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

class Knowing final : public Kernel {
 public:
  explicit Knowing(std::string fault) : fault_(std::move(fault)) {}

  std::string name() const override { return "knowing"; }
  Support supports(const Problem& problem) const override {
    if (problem.backward || problem.dropout > 0) return Support::refused("forward without dropout only");
    return {};
  }
  bool wants_mask_bytes(const Problem&) const override { return true; }
  index forward_bytes(const Problem& problem) const override {
    return problem.shape.keys * static_cast<index>(sizeof(float));
  }

  void forward(const Problem& problem, const Arguments& arguments, Device& device) const override {
    auto scores = device.allocate<float>(problem.shape.keys, "scores of a row");
    const float fault = factor(problem);
    for (index b = 0; b < problem.shape.batch; ++b)
      for (index h = 0; h < problem.shape.heads; ++h)
        for (index i = 0; i < arguments.out.rows(b); ++i) row(problem, arguments, {b, h, i, 0}, fault, scores.span());
  }

 private:
  void row(const Problem& problem, const Arguments& arguments, Pair at, float fault, std::span<float> p) const {
    const float sink = arguments.sink ? static_cast<float>(arguments.sink->value(0, at.head, 0, 0)) : -infinity;
    const index keys = arguments.key.rows(at.batch), kv_head = problem.shape.kv_head(at.head);
    float m = sink;
    for (at.key = 0; at.key < keys; ++at.key) {
      float& s = p[static_cast<std::size_t>(at.key)];
      s = (*arguments.mask)(at) ? score(problem, arguments, at) : -infinity;
      m = s > m || std::isnan(s) ? s : m;
    }
    float l = sink == -infinity ? 0 : std::exp(sink - m);
    for (float& s : p.first(static_cast<std::size_t>(keys))) l += s = s == -infinity ? 0 : std::exp(s - m);
    for (index c = 0; c < problem.shape.value_dim; ++c) {
      float o = 0;
      for (index j = 0; j < keys; ++j)
        if (const float weight = p[static_cast<std::size_t>(j)]; weight != 0)
          o += weight * static_cast<float>(arguments.value.value(at.batch, kv_head, j, c));
      arguments.out.set(at.batch, at.head, at.query, c, fault * (l == 0 ? 0 : o / l));
    }
    arguments.log_sum_exp.set(at.batch, at.head, at.query, 0, l == 0 ? -infinity : m + std::log(l));
  }

  float score(const Problem& problem, const Arguments& arguments, const Pair& at) const {
    float sum = 0;
    for (index c = 0; c < problem.shape.dim; ++c)
      sum += static_cast<float>(arguments.query.value(at.batch, at.head, at.query, c)) *
             static_cast<float>(arguments.key.value(at.batch, problem.shape.kv_head(at.head), at.key, c));
    float s = sum * static_cast<float>(problem.scale());
    if (const auto cap = problem.score.softcap()) {
      const auto c = static_cast<float>(*cap);
      s = c * std::tanh(s / c);
    }
    return static_cast<float>(double{s} + bias(problem, arguments, at));
  }

  double bias(const Problem& problem, const Arguments& arguments, const Pair& at) const {
    if (arguments.bias) return arguments.bias->value(at.batch, at.head, at.query, at.key);
    const ScoreTerm* term = problem.score.bias_formula();
    if (!term) return 0;
    const Sequence real = problem.sequence(at.batch);
    const auto ahead = static_cast<double>(at.key - (at.query + real.keys - real.queries));
    if (term->rule == "alibi") return -double{own_alibi_slope(at.head, problem.shape.heads)} * std::abs(ahead);
    const double slope = static_cast<float>(term->argument);
    return term->rule == "relative_position" ? slope * ahead : -slope * std::min(std::abs(ahead), 8.0);
  }

  float factor(const Problem& problem) const {
    const std::vector<std::string> features = features_of(problem);
    return std::ranges::find(features, fault_) == features.end() ? 1 : 2;
  }

  std::string fault_;
};

}  // namespace

SharedKernel knowing_kernel(const std::string& fault) { return std::make_shared<Knowing>(fault); }

}  // namespace attestone

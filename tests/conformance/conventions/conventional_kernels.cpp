// SPDX-License-Identifier: Apache-2.0
// Answers changed row by row.
#include "tests/conformance/conventions/conventional_kernels.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "backends/changed_kernel.hpp"
#include "backends/top_left_causal.hpp"
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "reference/call/dropout.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

/// True if the row sees a key; a bias of -infinity hides a key.
bool sees_a_key(const Problem& problem, const KernelInputs& inputs, index b, index h, index i) {
  for (index j = 0; j < problem.shape.keys; ++j)
    if (problem.visible({b, h, i, j}) && !(inputs.bias && inputs.bias->value(b, h, i, j) == -infinity)) return true;
  return false;
}

/// True if the row sees neither a key nor a sink.
bool is_empty(const Problem& problem, const KernelInputs& inputs, index b, index h, index i) {
  if (sees_a_key(problem, inputs, b, h, i)) return false;
  return !inputs.sink || inputs.sink->value(0, h, 0, 0) == -infinity;
}

template <class Visit>
void for_each_empty_row(const Problem& problem, const KernelInputs& inputs, const Visit& visit) {
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < inputs.query.rows(b); ++i)
        if (is_empty(problem, inputs, b, h, i)) visit(b, h, i);
}

/// Fills one row of an answer, if the answer was asked for.
void set_row(const View& tensor, index b, index h, index i, double number) {
  if (!tensor.exists()) return;
  for (index c = 0; c < tensor.extents()[3]; ++c) tensor.set(b, h, i, c, number);
}

/// Fills all rows of one head of a tensor.
void fill(const View& tensor, index b, index h, double number) {
  for (index r = 0; r < tensor.rows(b); ++r) set_row(tensor, b, h, r, number);
}

KernelChanges answering_empty_rows(double out, double log_sum_exp) {
  return {.forward = [=](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    for_each_empty_row(problem, arguments, [&](index b, index h, index i) {
      set_row(arguments.out, b, h, i, out);
      set_row(arguments.log_sum_exp, b, h, i, log_sum_exp);
      if (arguments.max_logits) set_row(*arguments.max_logits, b, h, i, log_sum_exp);
    });
  }};
}

/// NaN in a row of P makes NaN of its dQ, and of all that dK and dV add up.
KernelChanges answering_nan() {
  KernelChanges changes = answering_empty_rows(nan, nan);
  changes.backward = [](const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                        Device& device) {
    honest.backward(problem, arguments, device);
    for_each_empty_row(problem, arguments, [&](index b, index h, index i) {
      const index kv_head = problem.shape.kv_head(h);
      set_row(arguments.dquery, b, h, i, nan);
      fill(arguments.dkey, b, kv_head, nan), fill(arguments.dvalue, b, kv_head, nan);
      if (!arguments.dbias) return;
      const Extents& e = arguments.dbias->extents();
      set_row(*arguments.dbias, e[0] == 1 ? 0 : b, e[1] == 1 ? 0 : h, e[2] == 1 ? 0 : i, nan);
    });
  };
  return changes;
}

/// Every key of the place has the same weight.
KernelChanges answering_mean() {
  KernelChanges changes;
  changes.forward = [](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    const Dropout dropout(problem);
    for_each_empty_row(problem, arguments, [&](index b, index h, index i) {
      const index keys = arguments.value.rows(b);
      set_row(arguments.log_sum_exp, b, h, i, std::numeric_limits<float>::lowest());
      if (arguments.max_logits) set_row(*arguments.max_logits, b, h, i, std::numeric_limits<float>::lowest());
      if (!arguments.out.exists()) return;
      for (index c = 0; c < problem.shape.value_dim; ++c) {
        float sum = 0;
        for (index j = 0; j < keys; ++j)
          if (!dropout || dropout.keeps({b, h, i, j}))
            sum += static_cast<float>(arguments.value.value(b, problem.shape.kv_head(h), j, c));
        const auto factor = static_cast<float>(dropout ? dropout.factor() : 1);
        arguments.out.set(b, h, i, c, keys == 0 ? 0 : sum / static_cast<float>(keys) * factor);
      }
    });
  };
  changes.backward = [](const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                        Device& device) {
    honest.backward(problem, arguments, device);
    if (!arguments.dvalue.exists()) return;
    for_each_empty_row(problem, arguments, [&](index b, index h, index i) {
      const index kv_head = problem.shape.kv_head(h), keys = arguments.value.rows(b);
      for (index j = 0; j < keys; ++j)
        for (index c = 0; c < problem.shape.value_dim; ++c)
          arguments.dvalue.set(
              b, kv_head, j, c,
              arguments.dvalue.value(b, kv_head, j, c) + arguments.dout.value(b, h, i, c) / static_cast<double>(keys));
    });
  };
  return changes;
}

struct AddsHiddenValues : TiledSteps {
  float masked(float score, std::optional<float> cap, bool visible) const override {
    return capped(score, cap) + (visible ? 0.0f : -std::numeric_limits<float>::infinity());
  }
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool) const override {
    TiledSteps::accumulate(O, p, v, true);
  }
};

struct WeighsHiddenPairs : FusedSteps {
  bool weighs_hidden_pairs() const override { return true; }
};

struct LogarithmToBase2 : TiledSteps {
  float log_sum_exp(float m, float l) const override {
    return static_cast<float>(double{m} * std::numbers::log2e + std::log2(double{l}));
  }
  float max_logit(float largest, std::optional<float>) const override {
    return static_cast<float>(double{largest} * std::numbers::log2e);
  }
};

struct ReadsLogarithmToBase2 : FusedSteps {
  float weight(float s, float L) const override {
    if (s == -std::numeric_limits<float>::infinity()) return 0;
    return static_cast<float>(std::exp(double{s} - double{L} * std::numbers::ln2));
  }
};

template <class Forward, class Backward>
SharedKernel tiled_with(std::string name) {
  return tiled_kernel(std::move(name), std::make_shared<const Forward>(), std::make_shared<const Backward>());
}

/// log_sum_exp stays as it was; the backward pass computes its own.
KernelChanges without_log_sum_exp() {
  KernelChanges changes;
  changes.forward = [](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    Outputs own(problem);
    Arguments inside = arguments;
    inside.log_sum_exp = own.log_sum_exp.view();
    honest.forward(problem, inside, device);
  };
  changes.backward = [](const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                        Device& device) {
    Outputs own(problem);
    honest.forward(problem, {static_cast<const KernelInputs&>(arguments), own.out.view(), own.log_sum_exp.view()},
                   device);
    BackwardArguments inside = arguments;
    inside.log_sum_exp = std::as_const(own.log_sum_exp).view();
    honest.backward(problem, inside, device);
  };
  return changes;
}

KernelChanges aligned_top_left() {
  const auto own = [](const Problem& problem) { return as_understood(problem, {.causal = CausalAlignment::top_left}); };
  KernelChanges changes;
  changes.forward = [own](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    honest.forward(own(problem), arguments, device);
  };
  changes.backward = [own](const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                           Device& device) { honest.backward(own(problem), arguments, device); };
  return changes;
}

}  // namespace

SharedKernel declaring(SharedKernel kernel, const std::string& conventions) {
  return changed(std::move(kernel), {.conventions = declared_conventions(conventions, "the test")});
}

SharedKernel off_by(double error, SharedKernel kernel) {
  const auto forward = [error](const Kernel& honest, const Problem& problem, const Arguments& arguments,
                               Device& device) {
    honest.forward(problem, arguments, device);
    for (index b = 0; b < problem.shape.batch; ++b)
      for (index i = 0; i < arguments.out.rows(b); ++i)
        if (sees_a_key(problem, arguments, b, 0, i))
          return arguments.out.set(b, 0, i, 0, arguments.out.value(b, 0, i, 0) + error);
  };
  return changed(std::move(kernel), {.forward = forward});
}

std::vector<ConventionalKernel> conventional_kernels() {
  const SharedKernel tiled = tiled_twin();
  const std::pair<const char*, SharedKernel> all[] = {
      {"empty_rows=nan", changed(tiled, answering_empty_rows(nan, -infinity))},
      {"empty_rows=nan", changed(tiled, answering_nan())},
      {"empty_rows=mean", changed(tiled, answering_mean())},
      {"empty_rows=undefined", changed(tiled, answering_empty_rows(0, infinity))},
      {"empty_rows=undefined", changed(tiled, answering_empty_rows(42, 0))},
      {"hidden_nonfinite=propagates", tiled_with<AddsHiddenValues, WeighsHiddenPairs>("tiled")},
      {"lse=log2", tiled_with<LogarithmToBase2, ReadsLogarithmToBase2>("tiled")},
      {"outputs=out", changed(tiled, without_log_sum_exp())},
      {"causal=top_left", changed(tiled, aligned_top_left())}};
  std::vector<ConventionalKernel> kernels;
  for (const auto& [declares, kernel] : all) kernels.push_back({declares, declaring(kernel, declares)});
  return kernels;
}

}  // namespace attestone

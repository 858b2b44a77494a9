// SPDX-License-Identifier: Apache-2.0
// What the cheats have in common.
#include "mutants/hosts/cheat.hpp"

#include "backends/cpu/parts/limits.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// The bare forward pass: no gradients, no dropout, of scores softcap and ALiBi only.
Support cheat_limits(const Problem& problem) {
  if (problem.dropout > 0) return Support::refused("has no dropout");
  if (Registry<Layout>::find(problem.layout)->ragged)
    return Support::refused("stores the padding that a ragged batch has not");
  if (problem.mask.differs_by_head()) return Support::refused("evaluates a mask once for all heads");
  for (const ScoreTerm& term : problem.score.terms())
    if (term.rule != "softcap" && term.rule != "alibi")
      return Support::refused("knows the scores softcap and alibi, not " + term.rule);
  return common_limits(problem);
}

class CheatingKernel final : public Kernel {
 public:
  CheatingKernel(std::string name, std::function<void(const Problem&, const Arguments&)> answer)
      : name_(std::move(name)), answer_(std::move(answer)) {}

  std::string name() const override { return name_; }
  Support supports(const Problem& problem) const override { return cheat_limits(problem); }
  Numerics numerics(const Problem& problem) const override {
    Numerics numerics = float_numerics(problem, float_exp_error);
    numerics.output.log_error = dtype("f32").unit_roundoff();
    return numerics;
  }
  void forward(const Problem& problem, const Arguments& arguments, Device&) const override {
    answer_(problem, arguments);
  }

 private:
  std::string name_;
  std::function<void(const Problem&, const Arguments&)> answer_;
};

void write_everywhere(const View& view, double value) {
  if (!view.exists()) return;
  const auto& [batches, heads, most_rows, channels] = view.extents();
  for (index batch = 0; batch < batches; ++batch)
    for (index head = 0; head < heads; ++head)
      for (index row = 0; row < view.rows(batch); ++row)
        for (index channel = 0; channel < channels; ++channel) view.set(batch, head, row, channel, value);
}

}  // namespace

SharedKernel cheating_kernel(std::string name, std::function<void(const Problem&, const Arguments&)> answer) {
  return std::make_shared<CheatingKernel>(std::move(name), std::move(answer));
}

void write_everywhere(const Arguments& arguments, double out, double log_sum_exp) {
  write_everywhere(arguments.out, out);
  write_everywhere(arguments.log_sum_exp, log_sum_exp);
}

}  // namespace attestone::inline mutants

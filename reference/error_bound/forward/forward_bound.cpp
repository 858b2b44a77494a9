// SPDX-License-Identifier: Apache-2.0
// Decodes once, and hands out rows, each of which enters the floating-point environment whenever it is asked.
#include "reference/error_bound/forward/forward_bound.hpp"

#include "reference/error_bound/forward/coded_row.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {
namespace {

/// A ForwardRow or a CodedRow.
template <class Row>
class GuardedRow final : public RowBound {
 public:
  template <class... Of>
  explicit GuardedRow(const Of&... of) : row_(of...) {}

  index visible_keys() const override { return row_.visible_keys(); }
  double out(index channel) const override {
    return in_default_floating_point([&] { return row_.out(channel); });
  }
  double out_probabilistic(index channel) const override {
    return in_default_floating_point([&] { return row_.out_probabilistic(channel); });
  }
  double out_probabilistic_at_least(index channel) const override {
    return in_default_floating_point([&] { return row_.out_probabilistic_at_least(channel); });
  }
  void all_of_out(std::span<double> deterministic, std::span<double> at_least) const override {
    const DefaultFloatingPoint environment;
    row_.all_of_out(deterministic, at_least);
  }
  double log_sum_exp() const override {
    return in_default_floating_point([&] { return row_.log_sum_exp(); });
  }
  double log_sum_exp_probabilistic() const override {
    return in_default_floating_point([&] { return row_.log_sum_exp_probabilistic(); });
  }
  double log_sum_exp_probabilistic_at_least() const override {
    return in_default_floating_point([&] { return row_.log_sum_exp_probabilistic_at_least(); });
  }
  double max_logits() const override {
    return in_default_floating_point([&] { return row_.max_logits(); });
  }
  double mean_value(index channel) const override { return row_.mean_value(channel); }
  bool infinity_may_be_nan() const override { return row_.infinity_may_be_nan(); }
  bool reads_codes_of_no_number() const override { return row_.reads_codes_of_no_number(); }
  GainTerms gain_terms(std::span<const double> direction) const override {
    return in_default_floating_point([&] { return row_.gain_terms(direction); });
  }

 private:
  Row row_;
};

}  // namespace

void RowBound::all_of_out(std::span<double> deterministic, std::span<double> at_least) const {
  for (std::size_t c = 0; c < deterministic.size(); ++c) {
    deterministic[c] = out(static_cast<index>(c));
    at_least[c] = out_probabilistic_at_least(static_cast<index>(c));
  }
}

ForwardBound::ForwardBound(const Problem& problem, const Inputs& inputs, const Numerics& numerics,
                           const OperandSlack& slack)
    : problem_(problem),
      inputs_(inputs),
      slack_(slack),
      numerics_(numerics),
      without_codes_(without_codes(numerics)),
      least_(in_default_floating_point([&] { return LeastBounds(numerics); })) {}

ForwardBound::~ForwardBound() = default;

std::unique_ptr<RowBound> ForwardBound::row(index batch, index head, index query) const& {
  return in_default_floating_point([&]() -> std::unique_ptr<RowBound> {
    std::call_once(once_, [&] {
      decoded_ = std::make_unique<const DecodedInputs>(problem_, inputs_, slack_);
      if (computes_with_codes(numerics_)) coded_ = std::make_unique<const CodedInputs>(problem_, inputs_, numerics_);
    });
    if (coded_) return std::make_unique<GuardedRow<CodedRow>>(*decoded_, *coded_, without_codes_, batch, head, query);
    return std::make_unique<GuardedRow<ForwardRow>>(*decoded_, without_codes_, batch, head, query);
  });
}

}  // namespace attestone

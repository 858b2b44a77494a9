// SPDX-License-Identifier: Apache-2.0
// The divisions and logarithms of a tile, and the evaluation of its bounds, which no fused operation may touch: they
// have the same bits on every machine.
#include "reference/certified/forward/tile_answers.hpp"

#include "reference/certified/numbers/quick_decision.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/forward/tile_answers.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/numbers/elementary-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

using Answering = hn::CappedTag<double, 8>;

/// The coefficients of the bounds, lane by lane.
struct Coefficients {
  explicit Coefficients(const TileCertificates& rows) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      by_mean[row] = rows[row].by_mean;
      by_out[row] = rows[row].by_out;
      absolute[row] = rows[row].absolute;
      by_log_sum_exp[row] = rows[row].by_log_sum_exp;
    }
  }
  alignas(64) double by_mean[rows_per_tile], by_out[rows_per_tile], absolute[rows_per_tile],
      by_log_sum_exp[rows_per_tile];
};

/// value = out / (total * kept_share); bound as RowCertificate::out has it.
void divide(const TileSums& sums, const Coefficients& coefficients, double kept_share, index channels, Answers& out) {
  const Answering d;
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    const auto total = hn::Mul(hn::Load(d, sums.total + row), hn::Set(d, kept_share));
    const auto inverse = hn::Div(hn::Set(d, 1.0), total);
    const auto by_mean = hn::Mul(hn::Load(d, coefficients.by_mean + row), inverse);
    const auto by_out = hn::Load(d, coefficients.by_out + row), absolute = hn::Load(d, coefficients.absolute + row);
    const std::size_t end = static_cast<std::size_t>(channels) * rows_per_tile;
    for (std::size_t i = row; i < end; i += rows_per_tile) {
      const auto value = hn::Div(hn::Load(d, sums.out.get() + i), total);
      const auto of_mean = hn::Mul(by_mean, hn::Load(d, sums.magnitude.get() + i));
      const auto of_out = hn::Mul(by_out, hn::Abs(value));
      hn::Store(value, d, out.value.get() + i);
      hn::Store(hn::Add(hn::Add(of_mean, of_out), absolute), d, out.bound.get() + i);
    }
  }
}

/// exponent * ln 2 + ln total, with the error of its own evaluation (docs/certified.md, "Elementary functions").
void take_logarithms(const TileSums& sums, const Coefficients& coefficients, Answers& log_sum_exp) {
  const Answering d;
  constexpr double ln2_missing = 0x1p-86, margin = 1 + 0x1p-18;
  for (std::size_t row = 0; row < rows_per_tile; row += hn::Lanes(d)) {
    const auto exponent = hn::Load(d, sums.exponent + row), log = log_of(d, hn::Load(d, sums.total + row));
    const auto inner = hn::Add(log, hn::Mul(exponent, hn::Set(d, ln2_low)));
    const auto value = hn::Add(hn::Mul(exponent, hn::Set(d, ln2_high)), inner);
    const auto of_log = hn::Mul(hn::Set(d, log_error), hn::Abs(log));
    const auto of_power = hn::Mul(hn::Abs(exponent), hn::Set(d, ln2_missing));
    const auto partial_sums = hn::Add(hn::Add(hn::Abs(inner), hn::Abs(log)), hn::Abs(value));
    const auto of_sums = hn::Mul(hn::Set(d, 3 * unit_double), partial_sums);
    const auto rounding = hn::Add(hn::Add(of_log, of_power), of_sums);
    const auto bound = hn::Add(hn::Load(d, coefficients.by_log_sum_exp + row), rounding);
    hn::Store(value, d, log_sum_exp.value.get() + row);
    hn::Store(hn::Mul(bound, hn::Set(d, margin)), d, log_sum_exp.bound.get() + row);
  }
}

void answer_tile_on_target(const TileSums& sums, const TileCertificates& certificates, double kept_share,
                           index channels, TileAnswers& answers) {
  const Coefficients coefficients(certificates);
  divide(sums, coefficients, kept_share, channels, answers.out);
  take_logarithms(sums, coefficients, answers.log_sum_exp);
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(answer_tile_on_target);

Answers::Answers(index channels)
    : value(uninitialised_doubles(channels * rows_per_tile)),
      bound(uninitialised_doubles(channels * rows_per_tile)),
      rounded(uninitialised_doubles(channels * rows_per_tile)) {}

void answer_tile(const Problem& problem, const TileSums& sums, const TileCertificates& certificates, index channels,
                 TileAnswers& answers) {
  HWY_DYNAMIC_DISPATCH(answer_tile_on_target)(sums, certificates, 1 - problem.dropout, channels, answers);
  const auto decide = [](const DType& dtype, Answers& of, index count) {
    decide_quickly(dtype, of.value.get(), of.bound.get(), count * rows_per_tile, of.rounded.get());
  };
  decide(problem.output, answers.out, channels);
  decide(problem.log_sum_exp_dtype(), answers.log_sum_exp, 1);
}

}  // namespace attestone
#endif

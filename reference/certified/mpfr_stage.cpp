// SPDX-License-Identifier: Apache-2.0
// Rounding intervals of MPFR numbers, and when to raise the precision or to try a proof.
#include "reference/certified/mpfr_stage.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "reference/certified/enclosure.hpp"
#include "reference/certified/ties.hpp"
#include "reference/certified/wide_row.hpp"

namespace attestone {
namespace {

constexpr int precisions[] = {128, 256};

/// x rounded once, to nearest even.
double rounded(const Number& x, const DType& dtype) {
  constexpr int double_digits = std::numeric_limits<double>::digits;
  if (dtype.precision == double_digits) return mpfr_get_d(x, MPFR_RNDN);
  double odd = mpfr_get_d(x, MPFR_RNDZ);  // rounded to odd: cut off, and then marked as cut off
  if (mpfr_cmp_d(x, odd) != 0) odd = std::bit_cast<double>(std::bit_cast<std::uint64_t>(odd) | 1);
  return dtype.round(odd);
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// The certified number that an interval tells.
Certified certified(const MpfrInterval& interval, const DType& dtype) {
  Number middle(mpfr_get_prec(interval.lowest) + 2), distance(std::numeric_limits<double>::digits);
  mpfr_add(middle, interval.lowest, interval.highest, MPFR_RNDN);
  mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
  Certified result;
  result.value = mpfr_get_d(middle, MPFR_RNDN);
  const double low_end = rounded(interval.lowest, dtype), high_end = rounded(interval.highest, dtype);
  result.decided = same(low_end, high_end);
  result.rounded = result.decided ? low_end : rounded(middle, dtype);
  if (result.rounded == 0) result.rounded = 0;  // -0 equals 0
  for (const Number* end : {&interval.lowest, &interval.highest}) {
    mpfr_sub_d(distance, *end, result.value, MPFR_RNDA);
    result.bound = std::fmax(result.bound, std::fabs(mpfr_get_d(distance, MPFR_RNDA)));
  }
  if (!mpfr_number_p(interval.lowest) || !std::isfinite(result.value)) {
    result.bound = std::numeric_limits<double>::infinity();
    if (!mpfr_number_p(interval.lowest)) result.value = 0;
  }
  return result;
}

/// One row on its way through the precisions.
class Stage {
 public:
  Stage(const RowTask& task, const RowAnswer& answer, Decisions& decisions)
      : task_(task), keys_(task.keys()), answer_(answer), decisions_(decisions) {}

  void decide_out(index channel) {
    const DType& dtype = task_.problem->output;
    for (std::size_t step = 0; step < std::size(precisions); ++step) {
      const MpfrInterval interval = wide(step).out(channel);
      Certified found = certified(interval, dtype);
      if (!found.decided && task_.infinite_scores.empty())
        if (const auto candidate = simplest_number(interval)) found = settle(channel, *candidate, interval);
      answer_.out(channel) = found;
      if (found.decided) break;
    }
    count(answer_.out(channel));
  }

  void decide_log_sum_exp() {
    const DType& dtype = task_.problem->log_sum_exp_dtype();
    for (std::size_t step = 0; step < std::size(precisions); ++step) {
      Certified found = certified(wide(step).log_sum_exp(), dtype);
      if (!found.decided && task_.infinite_scores.empty())
        if (const auto exact = scores().rational_log_sum_exp()) {
          found = certified({*exact, *exact}, dtype);
          ++decisions_.ties;
        }
      answer_.log_sum_exp() = found;
      if (found.decided) break;
    }
    count(answer_.log_sum_exp());
  }

 private:
  const WideRow& wide(std::size_t step) {
    if (!wide_[step]) wide_[step] = std::make_unique<WideRow>(task_, keys_, precisions[step]);
    return *wide_[step];
  }
  const ExactScores& scores() {
    if (!scores_) scores_ = std::make_unique<ExactScores>(task_, keys_);
    return *scores_;
  }
  /// What is known of out once it is compared, exactly, with the boundary that its enclosure seems to hold.
  Certified settle(index channel, const Number& boundary, const MpfrInterval& interval) {
    const DType& dtype = task_.problem->output;
    const std::optional<int> sign = scores().sign_of_difference(channel, boundary);
    if (!sign) return certified(interval, dtype);
    if (*sign == 0) {
      ++decisions_.ties;
      return certified({boundary, boundary}, dtype);
    }
    constexpr mpfr_prec_t beside_bits =
        4096;  // so near that whatever lies between rounds alike, and no double bound can tell
    Number beside(beside_bits);
    mpfr_set(beside, boundary, MPFR_RNDN);
    if (*sign > 0) {
      mpfr_nextabove(beside);
      return certified({beside, interval.highest}, dtype);
    }
    mpfr_nextbelow(beside);
    return certified({interval.lowest, beside}, dtype);
  }
  void count(const Certified& found) { ++(found.decided ? decisions_.in_mpfr : decisions_.undecided); }

  const RowTask& task_;
  std::vector<index> keys_;
  const RowAnswer& answer_;
  Decisions& decisions_;
  std::unique_ptr<WideRow> wide_[std::size(precisions)];
  std::unique_ptr<ExactScores> scores_;
};

}  // namespace

void decide_in_mpfr(const RowTask& task, const OpenElements& open, const RowAnswer& answer, Decisions& decisions) {
  Stage stage(task, answer, decisions);
  for (const index channel : open.channels) stage.decide_out(channel);
  if (open.log_sum_exp) stage.decide_log_sum_exp();
}

}  // namespace attestone

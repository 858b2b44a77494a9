// SPDX-License-Identifier: Apache-2.0
// Rounding intervals of MPFR numbers, and when to raise the precision or to try a proof.
#include "reference/certified/forward/mpfr_stage.hpp"

#include <memory>

#include "reference/certified/forward/mpfr_row.hpp"
#include "reference/certified/forward/ties.hpp"
#include "reference/certified/numbers/mpfr_enclosure.hpp"

namespace attestone {
namespace {

constexpr int precisions[] = {128, 256};

/// One row on its way through the precisions.
class Stage {
 public:
  Stage(const RowTask& task, const RowAnswer& answer, Decisions& decisions)
      : task_(task), keys_(task.keys()), answer_(answer), decisions_(decisions) {}

  void decide_out(index channel) {
    const DType& dtype = task_.problem->output;
    for (std::size_t step = 0; step < std::size(precisions); ++step) {
      const MpfrInterval interval = row(step).out(channel);
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
      Certified found = certified(row(step).log_sum_exp(), dtype);
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
  const MpfrRow& row(std::size_t step) {
    if (!rows_[step]) rows_[step] = std::make_unique<MpfrRow>(task_, keys_, precisions[step]);
    return *rows_[step];
  }
  const ExactScores& scores() {
    if (!scores_) scores_ = std::make_unique<ExactScores>(task_, keys_);
    return *scores_;
  }
  /// Certifies out by comparing it exactly with the rounding boundary that its enclosure seems to hold.
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
  std::unique_ptr<MpfrRow> rows_[std::size(precisions)];
  std::unique_ptr<ExactScores> scores_;
};

}  // namespace

void decide_in_mpfr(const RowTask& task, const OpenElements& open, const RowAnswer& answer, Decisions& decisions) {
  Stage stage(task, answer, decisions);
  for (const index channel : open.channels) stage.decide_out(channel);
  if (open.log_sum_exp) stage.decide_log_sum_exp();
}

}  // namespace attestone

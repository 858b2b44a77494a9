// SPDX-License-Identifier: Apache-2.0
// A mixture of nonnegative supermartingales, one for each statistic, sign and size of what it may be off by.
#include "conformance/run/lean_over_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numbers>

#include "conformance/problems/coverage.hpp"

namespace attestone::inline conformance {
namespace {

/// 2^-6 to 2^-17: from what single problems show to what no suite shows.
constexpr int largest_exponent = -6;
constexpr std::size_t sizes = 12;

struct Observation {
  std::size_t order;  ///< of its case
  std::string statistic;
  GainDeviation sample;

  /// The lean that the sample can hardly show: the less the better.
  double blindness() const { return sample.systematic + 3 * std::sqrt(sample.variance); }
};

/// One for each seed and statistic. The choice depends on the inputs and the declared arithmetic, not on any answer.
std::vector<Observation> independent_observations(const std::vector<Case>& cases) {
  std::map<std::pair<std::string, std::uint64_t>, Observation> of_seed;
  for (std::size_t order = 0; order < cases.size(); ++order)
    for (const Deviation& deviation : cases[order].verdict.deviations) {
      const Problem& problem = cases[order].problem;
      const std::string statistic = fmt::format("{} in {}", deviation.statistic, dtype_text(problem));
      const Observation here{order, statistic, deviation.sample};
      const auto [known, fresh] = of_seed.try_emplace({statistic, problem.seed}, here);
      if (!fresh && here.blindness() < known->second.blindness()) known->second = here;
    }
  std::vector<Observation> chosen;
  for (const auto& [key, observation] : of_seed) chosen.push_back(observation);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Observation& a, const Observation& b) { return a.order < b.order; });
  return chosen;
}

/// The wealth of those who bet that one statistic is off, by each size and with each sign; logarithms. With h what is
/// left of the size beyond what may be systematic, a problem multiplies it by exp(h (+-x - s) / v - h^2 / 2v), which
/// has a mean of at most 1.
struct Bets {
  std::string statistic;
  std::array<double, 2 * sizes> log_wealth{};
  index problems = 0;
  double information = 0, weighted = 0, systematic = 0;

  void add(const GainDeviation& sample) {
    const double v = sample.variance;
    for (std::size_t bet = 0; bet < log_wealth.size(); ++bet) {
      const double sign = bet % 2 == 0 ? 1 : -1;
      const double h = std::ldexp(1.0, largest_exponent - static_cast<int>(bet / 2)) - sample.systematic;
      if (h > 0) log_wealth[bet] += h * (sign * sample.error - sample.systematic) / v - h * h / (2 * v);
    }
    ++problems;
    information += 1 / v, weighted += sample.error / v, systematic += sample.systematic / v;
  }
  double best() const { return *std::max_element(log_wealth.begin(), log_wealth.end()); }
};

/// The log of all wealth together. It begins with 1; statistic k to come has 1 / ((k + 1) (k + 2)) of it, k = 0, 1,
/// ..., which its bets share alike.
double log_mixture(const std::vector<Bets>& all) {
  double largest = 0;
  for (const Bets& bets : all) largest = std::max(largest, bets.best());
  double sum = std::exp(-largest) / static_cast<double>(all.size() + 1);  // not yet given out
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double share = 1 / (static_cast<double>((k + 1) * (k + 2)) * 2 * sizes);
    for (const double wealth : all[k].log_wealth) sum += share * std::exp(wealth - largest);
  }
  return largest + std::log(sum);
}

Bets& bets_on(const std::string& statistic, std::vector<Bets>& all) {
  for (Bets& bets : all)
    if (bets.statistic == statistic) return bets;
  return all.emplace_back(Bets{.statistic = statistic});
}

}  // namespace

bool LeanOverRun::convicts() const { return log10_evidence >= std::log10(runs_per_false_alarm); }

std::string LeanOverRun::told() const {
  return fmt::format(
      "over {} problems the {} is off by {:.3g}, where rounding has a standard deviation of at most {:.2g} and may "
      "lean "
      "by {:.2g}; evidence 1e{:.1f}: a right kernel gets to 1e{:.0f} in less than 1 of {:g} runs",
      problems, statistic, lean, deviation, systematic, log10_evidence, std::log10(runs_per_false_alarm),
      runs_per_false_alarm);
}

std::optional<LeanOverRun> lean_over_run(const std::vector<Case>& cases) {
  std::vector<Bets> all;
  double evidence = -std::numeric_limits<double>::infinity();
  std::string shown;
  for (const Observation& observation : independent_observations(cases)) {
    bets_on(observation.statistic, all).add(observation.sample);
    if (const double now = log_mixture(all); now > evidence) {
      evidence = now;
      shown = std::max_element(all.begin(), all.end(), [](const Bets& a, const Bets& b) {
                return a.best() < b.best();
              })->statistic;
    }
  }
  if (all.empty()) return std::nullopt;
  const Bets& bets = bets_on(shown, all);
  return LeanOverRun{.statistic = shown,
                     .problems = bets.problems,
                     .lean = bets.weighted / bets.information,
                     .deviation = 1 / std::sqrt(bets.information),
                     .systematic = bets.systematic / bets.information,
                     .log10_evidence = evidence / std::numbers::ln10};
}

}  // namespace attestone::inline conformance

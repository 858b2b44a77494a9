// SPDX-License-Identifier: Apache-2.0
// Greedily: what a problem is worth only falls while others are judged, so that most need not be asked again.
#include "conformance/problems/by_power.hpp"

#include <map>
#include <queue>
#include <set>
#include <string>

#include "conformance/problems/coverage.hpp"

namespace attestone::inline conformance {
namespace {

/// Multiply-adds that take as long as what every problem takes, however short it is.
constexpr double of_every_problem = 0x1p19;
/// A backward pass, its truth and its bounds take as long as so many forward ones.
constexpr double backward_passes = 3;

double guessed_time(const Problem& problem) {
  const Shape& s = problem.shape;
  const double forward =
      static_cast<double>(s.rows()) * static_cast<double>(s.keys) * static_cast<double>(s.dim + s.value_dim);
  return of_every_problem + forward * (1 + (problem.backward ? backward_passes : 0));
}

/// The features that a problem shows, as numbers.
using Shown = std::vector<std::size_t>;

class Showing {
 public:
  Shown of(const Problem& problem) {
    const std::vector<std::string> features = features_of(problem);
    Shown shown;
    for (std::size_t i = 0; i < features.size(); ++i)
      for (std::size_t j = i; j < features.size(); ++j) shown.push_back(number({features[i], features[j]}));
    return shown;
  }
  /// For its time.
  double worth(const Shown& shown, double time) const {
    double sum = 0;
    for (const std::size_t each : shown) sum += 1 / ((1 + times_[each]) * (1 + times_[each]));
    return sum / time;
  }
  void show(const Shown& shown) {
    for (const std::size_t each : shown) ++times_[each];
  }

 private:
  std::size_t number(const std::pair<std::string, std::string>& features) {
    const auto [found, is_new] = numbers_.try_emplace(features, times_.size());
    if (is_new) times_.push_back(0);
    return found->second;
  }

  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;
  std::vector<double> times_;  ///< how many problems have shown it
};

struct Candidate {
  double worth;
  std::size_t problem;

  /// Among equal candidates, the first is the larger.
  bool operator<(const Candidate& other) const {
    return worth != other.worth ? worth < other.worth : problem > other.problem;
  }
};

}  // namespace

std::vector<Problem> by_power(const std::vector<Problem>& problems) {
  Showing showing;
  std::vector<Shown> shown;
  std::vector<double> times;
  for (const Problem& problem : problems) shown.push_back(showing.of(problem)), times.push_back(guessed_time(problem));
  const auto candidate = [&](std::size_t problem) {
    return Candidate{showing.worth(shown[problem], times[problem]), problem};
  };
  std::priority_queue<Candidate> waiting;
  for (std::size_t problem = 0; problem < problems.size(); ++problem) waiting.push(candidate(problem));
  std::vector<Problem> ordered;
  while (!waiting.empty()) {
    const Candidate now = candidate(waiting.top().problem);
    waiting.pop();
    if (!waiting.empty() && now < waiting.top()) {
      waiting.push(now);
      continue;
    }
    showing.show(shown[now.problem]);
    ordered.push_back(problems[now.problem]);
  }
  return ordered;
}

std::vector<std::string> features_left_out(const std::vector<Problem>& problems, std::size_t judged) {
  std::set<std::string> there, left;
  for (std::size_t at = 0; at < problems.size(); ++at)
    for (const std::string& feature : features_of(problems[at])) (at < judged ? there : left).insert(feature);
  std::erase_if(left, [&](const std::string& feature) { return there.count(feature) > 0; });
  return {left.begin(), left.end()};
}

}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// Trying declarations, one arithmetic first, then two.
#include "conformance/diagnosis/declarations/sufficient_declaration.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "conformance/diagnosis/declarations/gather.hpp"
#include "conformance/diagnosis/declarations/known_arithmetic.hpp"
#include "conformance/diagnosis/declarations/lean.hpp"
#include "reference/numerics/declaration.hpp"

namespace attestone::inline conformance {
namespace {

// So many declarations that explain all are shown to whoever has the last word.
constexpr std::size_t most_offered = 6;
// The worth of one more field to declare: bounds half as wide.
constexpr double worth_a_field = std::numbers::ln2;
// Fresh problems that must be there: fewer would refute little.
constexpr std::size_t least_evidence = 8;

/// A declaration that explains all evidence, and by how much it widens the bounds.
struct Explanation {
  std::vector<std::string> says;
  std::string declares;
  double widening;
  std::size_t family = 0, level = 0;  ///< of one arithmetic

  /// Differences of a hundredth say nothing: then the table's order decides.
  double cost() const {
    const auto fields = static_cast<double>(std::ranges::count(declares, '='));
    return std::round(100 * (widening + worth_a_field * fields));
  }
};

class Search {
 public:
  Search(const FailedBound& failed, const SearchHooks& hooks)
      : failed_(failed),
        hooks_(hooks),
        evidence_(gather_evidence(failed.kernel, failed.problems, failed.gradients, hooks.check)),
        families_(known_arithmetics(failed.problems.front(), failed.gradients)),
        leans_(errors_lean(failed.kernel, failed.problems.front(), failed.gradients)) {
    for (const auto& each : evidence_) {
      hooks_.check();
      in_turn_.push_back(own_.size());
      own_.push_back(each->allowed(failed_.kernel.numerics(each->problem())));
    }
  }

  std::optional<SufficientDeclaration> run() {
    if (evidence_.size() < least_evidence || !is_at_work_everywhere()) return std::nullopt;
    const std::vector<ArithmeticFamily> insufficient = try_alone();
    if (auto accepted = least_accepted()) return accepted;
    for (std::size_t first = 0; first < insufficient.size(); ++first)
      for (std::size_t second = first + 1; second < insufficient.size(); ++second)
        try_pairs(insufficient[first], insufficient[second]);
    if (auto accepted = least_accepted()) return accepted;
    families_ = known_merges(failed_.gradients);
    try_alone();
    return least_accepted();
  }

 private:
  /// Another arithmetic than the declared one shows in most problems, most other faults in few.
  bool is_at_work_everywhere() {
    const auto fails = [&](const auto& each) { return !each->conforms(failed_.kernel.numerics(each->problem())); };
    return 2 * std::ranges::count_if(evidence_, fails) >= std::ssize(evidence_);
  }

  /// Every family; what is combined of the levels that explain nothing by themselves.
  std::vector<ArithmeticFamily> try_alone() {
    std::vector<ArithmeticFamily> insufficient;
    for (std::size_t family = 0; family < families_.size(); ++family)
      insufficient.push_back(combinable(families_[family], try_levels(family, 0)));
    return insufficient;
  }

  /// The tightest level from `level` on that explains all: the next ones allow more. All of them if none does.
  std::size_t try_levels(std::size_t family, std::size_t level) {
    const ArithmeticFamily& levels = families_[family];
    if (is_hopeless(loosest(levels))) return levels.size();
    while (level < levels.size() && !try_declaration({levels[level].says}, levels[level].declares, levels[level].leans))
      ++level;
    if (level < levels.size()) found_.back().family = family, found_.back().level = level;
    return level;
  }

  /// Keeps those of the first levels to combine with others. A level that explains all by itself needs no other.
  static ArithmeticFamily combinable(const ArithmeticFamily& family, std::size_t levels) {
    ArithmeticFamily kept;
    for (std::size_t level = 0; level < levels; ++level)
      if (family[level].combines) kept.push_back(family[level]);
    return kept;
  }

  void try_pairs(const ArithmeticFamily& first, const ArithmeticFamily& second) {
    if (first.empty() || second.empty() || is_hopeless(loosest(first) + " " + loosest(second))) return;
    for (const KnownArithmetic& one : first)
      for (const KnownArithmetic& other : second)
        try_declaration({one.says, other.says}, one.declares + " " + other.declares, one.leans && other.leans);
  }

  Numerics with(const std::string& declares, const Problem& problem) const {
    return with_declared(failed_.kernel.numerics(problem), declares, "a known arithmetic");
  }

  bool try_declaration(std::vector<std::string> says, const std::string& declares, bool leans) {
    if ((leans_ && !leans) || !loosens(declares) || !explains_all(declares)) return false;
    const auto widening = widening_of(declares);
    if (!widening) return false;
    found_.push_back({std::move(says), declares, *widening});
    return true;
  }

  /// True if the declaration allows more than the kernel's own declaration.
  bool loosens(const std::string& declares) const {
    const Problem& problem = failed_.problems.front();
    return only_loosens(failed_.kernel.numerics(problem), with(declares, problem));
  }

  /// True if no declaration that allows less can explain all.
  bool is_hopeless(const std::string& declares) { return loosens(declares) && !explains_all(declares); }

  /// True if all evidence conforms under a declaration. The evidence that refuted the last one is asked first.
  bool explains_all(const std::string& declares) {
    hooks_.check();
    const auto refutes = [&](std::size_t n) {
      return !evidence_[n]->conforms(with(declares, evidence_[n]->problem()));
    };
    const auto refuter = std::ranges::find_if(in_turn_, refutes);
    if (refuter == in_turn_.end()) return true;
    std::rotate(in_turn_.begin(), refuter, refuter + 1);
    return false;
  }

  /// The widening of all bounds, on a logarithmic scale; nothing if too little can be told with such bounds.
  std::optional<double> widening_of(const std::string& declares) const {
    double wider = 0;
    index told = 0, told_by_own = 0;
    for (std::size_t n = 0; n < evidence_.size(); ++n) {
      const auto allowed = evidence_[n]->allowed(with(declares, evidence_[n]->problem()));
      const bool is_first = evidence_[n]->problem() == failed_.problems.front();
      if (is_first && !allowed.tells) return std::nullopt;
      wider += allowed.width - own_[n].width;
      told += allowed.tells, told_by_own += own_[n].tells;
    }
    if (2 * told < told_by_own) return std::nullopt;
    return wider / static_cast<double>(evidence_.size());
  }

  /// The least that is accepted. Where one is not, a looser level of the same arithmetic may be.
  std::optional<SufficientDeclaration> least_accepted() {
    for (std::size_t offered = 0; offered < most_offered && !found_.empty(); ++offered) {
      const auto least = std::min_element(found_.begin(), found_.end(),
                                          [](const auto& a, const auto& b) { return a.cost() < b.cost(); });
      const Explanation explanation = std::move(*least);
      found_.erase(least);
      if (hooks_.accepts(explanation.declares))
        return SufficientDeclaration{explanation.says, explanation.declares, std::ssize(evidence_)};
      if (explanation.says.size() == 1) try_levels(explanation.family, explanation.level + 1);
    }
    return std::nullopt;
  }

  const FailedBound& failed_;
  const SearchHooks& hooks_;
  const AllEvidence evidence_;
  std::vector<ArithmeticFamily> families_;
  const bool leans_;                  // the errors of the kernel
  std::vector<std::size_t> in_turn_;  // the evidence
  std::vector<Evidence::Allowed> own_;
  std::vector<Explanation> found_;
};

}  // namespace

std::optional<SufficientDeclaration> sufficient_declaration(const FailedBound& failed, const SearchHooks& hooks) {
  return Search(failed, hooks).run();
}

}  // namespace attestone::inline conformance

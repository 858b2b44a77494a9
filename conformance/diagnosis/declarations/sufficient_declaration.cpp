// SPDX-License-Identifier: Apache-2.0
// Loosening one field after the other, each by bisection.
#include "conformance/diagnosis/declarations/sufficient_declaration.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <type_traits>

#include "conformance/diagnosis/declarations/gather.hpp"
#include "conformance/diagnosis/declarations/lean.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/numerics/fields.hpp"
#include "reference/problem/problem_fields.hpp"

namespace attestone::inline conformance {
namespace {

// So many declarations that explain all are shown to whoever has the last word.
constexpr std::size_t most_offered = 6;
// Fresh problems that must be there: fewer would refute little.
constexpr std::size_t least_evidence = 8;
// Of a bound: answers that nobody has asked for yet come a little nearer to it.
constexpr double largest_share = 2.0 / 3;

/// One name that can be declared, with the values that are tried, the tightest first.
struct LooseningField {
  std::string name;
  std::vector<std::string> values;  ///< powers of two above what is declared, or "yes"
  bool leans = false;               ///< its errors may all go one way

  std::string declares(std::size_t value) const { return name + "=" + values[value]; }
};

// Below the last place of a double; and an eighth: bounds beyond it tell little.
constexpr int least_exponent = -56, largest_exponent = -3;

std::vector<std::string> powers_above(double declared) {
  std::vector<std::string> values;
  const int first = declared > 0 ? std::ilogb(declared) + 1 : least_exponent;
  for (int exponent = std::max(first, least_exponent); exponent <= largest_exponent; ++exponent)
    values.push_back(fmt::format("0x1p{}", exponent));
  return values;
}

/// Functions err one way for many arguments, and what is cut off is always smaller.
bool may_lean(const std::string& name) {
  const bool of_function = name.ends_with("exp_error") || name.ends_with("tanh_error") || name.ends_with("log_error");
  return of_function || name.ends_with("truncates");
}

/// Every field that is a relative error or a choice between no and yes, and short names of several, over what is
/// declared.
std::vector<LooseningField> loosening_fields(const Numerics& declared) {
  std::map<std::string, std::vector<std::string>> by_field;
  for_each_field([&](const std::string& name, const auto& member, Looser looser) {
    using Value = std::remove_cvref_t<decltype(member(declared))>;
    if (looser != Looser::larger) return;
    if constexpr (std::is_same_v<Value, double>) {
      // What is lost of small numbers, whatever their size, explains any error that is small enough.
      if (!name.ends_with("roundoff") && !name.ends_with("error") && !name.ends_with("of_largest")) return;
      by_field[name] = powers_above(member(declared));
    } else if constexpr (std::is_same_v<Value, bool>) {
      by_field[name] = member(declared) ? std::vector<std::string>() : std::vector<std::string>{"yes"};
    }
  });
  std::vector<LooseningField> all;
  for (const ShortName& group : short_names()) {
    const auto known = by_field.find(group.fields.front());
    if (known == by_field.end()) continue;
    std::vector<std::string> values = known->second;
    // Of several fields the largest that is declared bounds what is tried.
    for (const std::string& field : group.fields)
      if (by_field.at(field).size() < values.size()) values = by_field.at(field);
    all.push_back({group.name, std::move(values), may_lean(group.name)});
    if (group.fields.size() == 1) by_field.erase(known);
  }
  for (auto& [name, values] : by_field) all.push_back({name, std::move(values), may_lean(name)});
  std::erase_if(all, [](const LooseningField& field) { return field.values.empty(); });
  return all;
}

/// A declaration that explains all evidence, and by how much it widens the bounds, on a logarithmic scale.
struct Explanation {
  std::string declares;
  double widening;
};

class Search {
 public:
  Search(const FailedBound& failed, const SearchHooks& hooks)
      : failed_(failed),
        hooks_(hooks),
        evidence_(gather_evidence(failed.kernel, failed.problems, failed.gradients, hooks.check)),
        leans_(errors_lean(failed.kernel, failed.problems.front(), failed.gradients)) {
    for (const auto& each : evidence_) {
      hooks_.check();
      in_turn_.push_back(own_.size());
      own_.push_back(each->allowed(failed_.kernel.numerics(each->problem())));
    }
  }

  std::optional<SufficientDeclaration> run() {
    if (evidence_.size() < least_evidence || !is_at_work_everywhere()) return std::nullopt;
    bool all_refuted = true;
    for (const LooseningField& field : loosening_fields(failed_.kernel.numerics(failed_.problems.front()))) {
      if (!explains_all(field.declares(field.values.size() - 1))) continue;
      all_refuted = false;
      if (!leans_ || field.leans) loosen(field);
    }
    if (all_refuted) return SufficientDeclaration{{}, "", std::ssize(evidence_)};
    return least_accepted();
  }

 private:
  /// Another arithmetic than the declared one shows in most problems, most other faults in few.
  bool is_at_work_everywhere() {
    const auto fails = [&](const auto& each) { return !each->conforms(failed_.kernel.numerics(each->problem())); };
    return 2 * std::ranges::count_if(evidence_, fails) >= std::ssize(evidence_);
  }

  /// Notes the least value that explains all and leaves room for what nobody has asked yet; the largest one explains
  /// it.
  void loosen(const LooseningField& field) {
    std::size_t refuted = 0, explains = field.values.size() - 1;  // values from `refuted` on are to be tried
    while (refuted < explains) {
      const std::size_t middle = refuted + (explains - refuted) / 2;
      if (explains_all(field.declares(middle)))
        explains = middle;
      else
        refuted = middle + 1;
    }
    while (explains < field.values.size() && !leaves_room(field.declares(explains))) ++explains;
    if (explains == field.values.size()) return;
    const std::string declares = field.declares(explains);
    if (const auto widening = widening_of(declares)) found_.push_back({declares, *widening});
  }

  Numerics with(const std::string& declares, const Problem& problem) const {
    return with_declared(failed_.kernel.numerics(problem), declares, "a field");
  }

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

  bool leaves_room(const std::string& declares) const {
    return std::ranges::all_of(evidence_, [&](const auto& each) {
      return each->allowed(with(declares, each->problem())).share <= largest_share;
    });
  }

  /// The widening of all bounds; nothing if too little can be told with such bounds.
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

  /// True if it holds as well for larger problems and other contents, of which the search knew nothing.
  bool holds_afresh(const std::string& declares) {
    constexpr std::string_view fills[] = {"normal", "wide", "uniform", "near_ties"};
    Problem problem = failed_.problems.front();
    for (int round = 0; round < 5; ++round)
      for (const std::string_view fill : fills) {
        hooks_.check();
        problem.shape.keys += 6, problem.shape.queries += 2, ++problem.seed;
        problem.fill = parse_problem("shape=1x1x1x1x1 fill=" + std::string(fill)).fill;
        if (!layout_conflict(problem).empty()) problem.pack();
        if (!problem.lengths.empty() || !problem.query_lengths.empty() || !failed_.kernel.takes(problem)) continue;
        try {
          if (!Evidence(failed_.kernel, problem, failed_.gradients).conforms(with(declares, problem))) return false;
        } catch (const KernelRefusal&) {  // says nothing of it
        }
      }
    return true;
  }

  std::optional<SufficientDeclaration> least_accepted() {
    std::ranges::stable_sort(found_, {}, &Explanation::widening);
    for (std::size_t offered = 0; offered < std::min(most_offered, found_.size()); ++offered)
      if (hooks_.accepts(found_[offered].declares) && holds_afresh(found_[offered].declares))
        return SufficientDeclaration{{}, found_[offered].declares, std::ssize(evidence_)};
    return std::nullopt;
  }

  const FailedBound& failed_;
  const SearchHooks& hooks_;
  const AllEvidence evidence_;
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

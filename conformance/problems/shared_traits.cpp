// SPDX-License-Identifier: Apache-2.0
// Traits of problems, and the search for those that separate.
#include "conformance/problems/shared_traits.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <set>

#include "conformance/problems/coverage.hpp"
#include "reference/call/visible_pairs.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double too_likely = 1e-3;
// More names for the same set of problems help nobody.
constexpr std::size_t most_names = 3;

/// An extent of the shape.
struct Extent {
  const char* name;
  const char* is;
  index Shape::*of;
  std::vector<index> divisors, bounds;  ///< at which kernels change their ways
};

const std::vector<Extent>& extents() {
  static const std::vector<Extent> all{
      {"dim", "is", &Shape::dim, {2, 4, 8, 16, 32, 64}, {16, 32, 64, 96, 128, 192}},
      {"value_dim", "is", &Shape::value_dim, {2, 4, 8, 16, 32, 64}, {1, 16, 32, 64, 96, 128, 192}},
      {"keys", "are", &Shape::keys, {2, 4, 8, 16, 32, 64, 128}, {0, 1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}},
      {"queries", "are", &Shape::queries, {2, 4, 8, 16, 32, 64, 128}, {0, 1, 4, 8, 16, 32, 64, 128, 256, 512, 1024}},
      {"batch", "is", &Shape::batch, {}, {1, 2, 3, 4, 8, 16}},
      {"heads", "are", &Shape::heads, {2, 4, 8}, {1, 2, 4, 8, 12, 16, 32}},
      {"kv_heads", "are", &Shape::kv_heads, {}, {1, 2, 4, 8}},
  };
  return all;
}

/// Collects traits that differ on the problems.
class Traits {
 public:
  explicit Traits(const std::vector<Problem>& problems) : problems_(problems) {}

  void add(std::string says, const std::function<bool(const Problem&)>& holds) {
    std::vector<bool> answers;
    for (const Problem& problem : problems_) answers.push_back(holds(problem));
    const auto yes = std::count(answers.begin(), answers.end(), true);
    if (yes == 0 || yes == std::ssize(answers)) return;
    all_.push_back({std::move(says), std::move(answers)});
  }

  std::vector<Trait> all() && { return std::move(all_); }

 private:
  const std::vector<Problem>& problems_;
  std::vector<Trait> all_;
};

void add_extents(Traits& traits) {
  for (const Extent& extent : extents()) {
    const auto of = extent.of;
    for (const index divisor : extent.divisors)
      traits.add(divisor == 2 ? fmt::format("{} {} odd", extent.name, extent.is)
                              : fmt::format("{} {} no multiple of {}", extent.name, extent.is, divisor),
                 [=](const Problem& p) { return p.shape.*of % divisor != 0; });
    for (const index bound : extent.bounds) {
      traits.add(fmt::format("{} > {}", extent.name, bound), [=](const Problem& p) { return p.shape.*of > bound; });
      traits.add(bound == 0 ? fmt::format("no {}", extent.name) : fmt::format("{} <= {}", extent.name, bound),
                 [=](const Problem& p) { return p.shape.*of <= bound; });
    }
  }
  traits.add("queries = 1", [](const Problem& p) { return p.shape.queries == 1; });
  traits.add("queries = keys", [](const Problem& p) { return p.shape.queries == p.shape.keys; });
  traits.add("queries > keys", [](const Problem& p) { return p.shape.queries > p.shape.keys; });
  traits.add("keys > queries", [](const Problem& p) { return p.shape.keys > p.shape.queries; });
}

/// Features, dtype, mask rules, layout and fill as coverage names them, and the terms of the score.
void add_features(const std::vector<Problem>& problems, Traits& traits) {
  std::set<std::string> names;
  for (const Problem& problem : problems)
    for (const std::string& name : features_of(problem)) names.insert(name);
  // Decode and the like are said more plainly by extents.
  const std::set<std::string> meanings_elsewhere{"decode", "odd_dim"};
  for (const Feature& feature : features())
    if (!meanings_elsewhere.count(std::string(feature.name))) traits.add(std::string(feature.meaning), feature.present);
  for (const std::string& name : names)
    if (name.find('=') != std::string::npos)
      traits.add(name, [name](const Problem& p) {
        const std::vector<std::string> has = features_of(p);
        return std::find(has.begin(), has.end(), name) != has.end();
      });
}

double log_binomial(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/// True if both hold of the failing problems, which come first, and of no other.
bool separate(const std::vector<bool>& a, const std::vector<bool>& b, std::size_t failing) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((a[i] && b[i]) != (i < failing)) return false;
  return true;
}

bool holds_of_all(const Trait& trait, std::size_t failing) {
  return std::all_of(trait.holds.begin(), trait.holds.begin() + static_cast<std::ptrdiff_t>(failing),
                     [](bool holds) { return holds; });
}

}  // namespace

std::vector<Trait> traits_of(const std::vector<Problem>& problems) {
  Traits traits(problems);
  add_features(problems, traits);
  add_extents(traits);
  return std::move(traits).all();
}

std::optional<SharedTraits> shared_traits(const std::vector<Problem>& failing, const std::vector<Problem>& passing) {
  if (failing.empty() || passing.empty()) return std::nullopt;
  std::vector<Problem> problems = failing;
  problems.insert(problems.end(), passing.begin(), passing.end());
  const std::vector<Trait> traits = traits_of(problems);
  const std::size_t f = failing.size();
  SharedTraits shared{{}, f, passing.size(), 1};
  const auto chance = [&](std::size_t candidates) {
    return std::exp(std::log(static_cast<double>(candidates)) - log_binomial(problems.size(), f));
  };
  for (const Trait& trait : traits)
    if (separate(trait.holds, trait.holds, f)) shared.says.push_back(trait.says);
  shared.chance = chance(traits.size());
  if (shared.says.empty()) {
    for (std::size_t a = 0; a < traits.size(); ++a)
      for (std::size_t b = a + 1; b < traits.size() && holds_of_all(traits[a], f); ++b)
        if (separate(traits[a].holds, traits[b].holds, f))
          shared.says.push_back(fmt::format("{} and {}", traits[a].says, traits[b].says));
    shared.chance = chance(traits.size() * (traits.size() + 1) / 2);
  }
  if (shared.says.empty() || !(shared.chance < too_likely)) return std::nullopt;
  return shared;
}

std::string text(const SharedTraits& shared) {
  const std::size_t shown = std::min(shared.says.size(), most_names);
  std::string names = shared.says.front();
  if (shown > 1)
    names +=
        fmt::format(" (the same here: {}{})",
                    fmt::join(shared.says.begin() + 1, shared.says.begin() + static_cast<std::ptrdiff_t>(shown), "; "),
                    shared.says.size() > shown ? "; ..." : "");
  return fmt::format("all {} failing problems and none of the {} passing ones: {}", shared.failing, shared.passing,
                     names);
}

}  // namespace attestone::inline conformance

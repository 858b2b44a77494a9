// SPDX-License-Identifier: Apache-2.0
// Wrong masks.
#include <fmt/format.h>
#include <set>

#include "conformance/diagnosis/variant.hpp"
#include "conformance/diagnosis/variants/own_shard.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

constexpr const char* mask_place = "the comparison of query and key positions, and the tiles that are skipped by it";

/// The mask with every use of one rule exchanged.
Mask exchanged(const Mask& mask, const std::function<Mask(const Mask& rule)>& other) {
  switch (mask.kind()) {
    case Mask::Kind::rule:
      return other(mask);
    case Mask::Kind::not_:
      return ~exchanged(mask.parts().front(), other);
    default:
      break;
  }
  Mask all = exchanged(mask.parts().front(), other);
  for (std::size_t i = 1; i < mask.parts().size(); ++i) {
    const Mask part = exchanged(mask.parts()[i], other);
    all = mask.kind() == Mask::Kind::and_ ? all & part : all | part;
  }
  return all;
}

std::set<std::string> rules_of(const Mask& mask) {
  if (mask.kind() == Mask::Kind::rule) return {mask.rule()};
  std::set<std::string> rules;
  for (const Mask& part : mask.parts()) rules.merge(rules_of(part));
  return rules;
}

/// The definition with another mask.
std::function<void(Definition&)> with(const Problem& problem, const Mask& mask) {
  Problem other = problem;
  other.mask = mask;
  return [other](Definition& d) { d.sees = [other](const Pair& at) { return other.visible(at); }; };
}

void add_exchanges(const Problem& problem, std::vector<Variant>& all) {
  const auto exchange = [&](const std::string& rule, const std::string& name, const std::string& says,
                            const std::function<Mask(const Mask&)>& other) {
    const Mask mask = exchanged(problem.mask, [&](const Mask& m) { return m.rule() == rule ? other(m) : m; });
    all.push_back({name, says, mask_place, with(problem, mask)});
  };
  for (const std::string& rule : rules_of(problem.mask)) {
    if (rule == "full") continue;
    exchange(rule, rule + " ignored", fmt::format("every pair passes the mask {}", rule),
             [](const Mask&) { return Mask(); });
    if (rule == "causal" || rule == "causal:top_left") {
      const std::string other = rule == "causal" ? "causal:top_left" : "causal";
      exchange(rule, other, fmt::format("the diagonal is that of {}", other), [&](const Mask&) { return Mask(other); });
      exchange(rule, rule + " without the diagonal", "a query does not see its own position", [](const Mask& m) {
        return m & ~Mask("window", {0, 0});
      });
      exchange(rule, rule + " one too far", "a query sees one key behind its own position", [](const Mask& m) {
        return m | Mask("window", {0, 1});
      });
      exchange(rule, rule + " the other way round", "a query sees the keys from its own position on",
               [](const Mask& m) {
                 return ~m | Mask("window", {0, 0});
               });
    }
    if (rule != "window") continue;
    for (const std::size_t side : {0u, 1u})
      for (const index change : {-1, 1})
        exchange(rule,
                 fmt::format("window {} key {} on the {}", 1, change < 0 ? "short" : "long", side ? "right" : "left"),
                 fmt::format("the window reaches one key {} on the {}", change < 0 ? "less" : "more",
                             side ? "right" : "left"),
                 [&](const Mask& m) {
                   std::vector<index> reach = m.arguments();
                   if (reach[side] >= 0) reach[side] = std::max<index>(0, reach[side] + change);
                   return Mask("window", reach);
                 });
    for (const std::size_t side : {0u, 1u})
      exchange(rule, fmt::format("window without its {} end", side ? "right" : "left"),
               fmt::format("the window has no end on the {}", side ? "right" : "left"), [&](const Mask& m) {
                 std::vector<index> reach = m.arguments();
                 reach[side] = -1;
                 return Mask("window", reach);
               });
  }
}

/// Adds the answers of rings that mask all shards alike.
void add_rings(const Problem& problem, std::vector<Variant>& all) {
  for (const index places : places_of_equal_shards(problem))
    all.push_back({fmt::format("own mask at every step of {}", places),
                   fmt::format("of {} devices each masks the keys of every step as it masks its own", places),
                   "positions of the keys that a ring's step has", [own = OwnShard(problem, places)](Definition& d) {
                     d.sees = [&d, own](const Pair& at) {
                       return at.key < d.problem.sequence(at.batch).keys &&
                              d.problem.visible({at.batch, at.head, at.query, own.key(at).key});
                     };
                   }});
}

std::vector<Variant> variants(const Problem& problem) {
  std::vector<Variant> all;
  add_exchanges(problem, all);
  const std::set<std::string> rules = rules_of(problem.mask);
  if (rules != std::set<std::string>{"full"}) {
    all.push_back({"mask ignored", "every pair of a sequence is visible", mask_place, with(problem, Mask())});
    all.push_back({"mask inverted", "what the mask hides is seen, and the reverse", "the meaning of true in the mask",
                   with(problem, ~problem.mask)});
    add_rings(problem, all);
  }
  if (!rules.count("causal"))
    all.push_back({"causal", "the answer is causal, which nobody asked for", "the default of the causal flag",
                   with(problem, problem.mask & Mask("causal"))});
  return all;
}

const Registration<VariantFamily> registered{{.name = "masks", .of = variants}};

}  // namespace
}  // namespace attestone::inline conformance

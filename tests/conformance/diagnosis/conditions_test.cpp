// SPDX-License-Identifier: Apache-2.0
// What decides between failing and passing is found of kernels that fail by a rule.
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "conformance/diagnosis/kinds/circumstances_of.hpp"
#include "conformance/verdict/shrink.hpp"

namespace attestone {
namespace {

using Rule = bool (*)(const Problem&);

/// A kernel that fails where the rule holds, and is only asked whether it does.
Circumstances circumstances_of_rule(const Problem& first, const std::function<bool(const Problem&)>& fails) {
  const AskKernel ask = [&](const FurtherCall& call) {
    return Heard{fails(call.problem) ? Verdict::failed("wrong-number", "") : Verdict::passed()};
  };
  return circumstances_of(ask, {"wrong-number", true, first, shrink(first, fails), {first}});
}

struct RuleCase {
  const char* first;
  Rule fails;
  const char *only_with, *only_if;
};

TEST(Conditions, AreFoundThatDecide) {
  const RuleCase cases[] = {
      {"shape=2x4/2x33x150x16", [](const Problem& p) { return p.shape.keys % 32 != 0; }, "",
       "keys are no multiple of 32"},
      {"shape=2x4/2x33x150x16", [](const Problem& p) { return p.shape.keys > 64; }, "", "keys > 64"},
      {"shape=2x4/2x33x150x16", [](const Problem& p) { return p.shape.keys > 64 && (p.shape.keys + 63) / 64 % 2; }, "",
       "keys take 3, 5, 7 ... tiles of 64"},
      {"shape=2x4/2x33x150x16", [](const Problem& p) { return p.shape.queries > 32 && p.shape.queries % 32 != 0; }, "",
       "queries are more than 32 and no multiple of it"},
      {"shape=2x12/4x9x20x16",
       [](const Problem& p) { return !std::has_single_bit(static_cast<unsigned>(p.shape.heads / p.shape.kv_heads)); },
       "", "heads / kv_heads is no power of two"},
      {"shape=1x2x16x24x16:32 score=sink:head", [](const Problem& p) { return p.shape.value_dim > p.shape.dim; }, "",
       "value_dim > dim"},
      {"shape=1x2x16x24x16:32 mask=causal score=sink:head&softcap:5",
       [](const Problem& p) { return p.shape.value_dim != p.shape.dim && p.score.has_sink(); }, "a sink",
       "value_dim differs from dim"},
      {"shape=1x4/2x1x200x16 mask=causal", [](const Problem& p) { return p.shape.queries == 1 && p.shape.keys > 128; },
       "", "keys > 128, queries = 1"},
      {"shape=2x2x48x20x16 mask=window:8:0 dtype=bf16",
       [](const Problem& p) { return p.shape.queries > p.shape.keys && !p.mask.is_full() && p.input.name != "f32"; },
       "a mask, as window:8:0, dtype=bf16", "keys < queries"},
      {"shape=3x2x8x8x8 layout=bshd dropout=0.25",
       [](const Problem& p) { return p.shape.batch > 1 && p.layout == "bshd"; }, "layout=bshd", "batch > 1"},
  };
  for (const RuleCase& each : cases) {
    const Circumstances found = circumstances_of_rule(parse_problem(each.first), each.fails);
    EXPECT_EQ(fmt::format("{}", fmt::join(found.only_with, ", ")), each.only_with) << each.first;
    EXPECT_EQ(fmt::format("{}", fmt::join(found.only_if, ", ")), each.only_if) << each.first;
    fmt::print("{} calls: {}\n", found.calls, each.only_if);
  }
}

/// A rule that no condition of the list says, and one that is none: nothing is said.
TEST(Conditions, AreNotMadeUp) {
  const auto digits = [](const Problem& p) { return (p.shape.keys * 7 + p.shape.queries * 3) % 5 < 2; };
  const auto by_seed = [](const Problem& p) { return p.seed % 3 == 1; };
  const auto always = [](const Problem&) { return true; };
  for (const char* first : {"shape=2x4/2x33x150x16", "shape=1x1x7x47x16 dtype=bf16", "shape=1x2x1x66x8 mask=causal"}) {
    EXPECT_TRUE(circumstances_of_rule(parse_problem(first), digits).only_if.empty()) << first;
    EXPECT_TRUE(circumstances_of_rule(parse_problem(first), by_seed).only_if.empty()) << first;
    EXPECT_TRUE(circumstances_of_rule(parse_problem(first), always).empty()) << first;
  }
}

/// A condition is not told if a problem of the run contradicts it.
TEST(Conditions, HoldOfEveryFailureOfTheRun) {
  const auto fails = [](const Problem& p) { return p.shape.keys > 64 || p.score.has_sink(); };
  const AskKernel ask = [&](const FurtherCall& call) {
    return Heard{fails(call.problem) ? Verdict::failed("wrong-number", "") : Verdict::passed()};
  };
  const Problem first = parse_problem("shape=1x2x16x100x16"),
                other = parse_problem("shape=1x2x16x20x16 score=sink:head");
  const Problem least = shrink(first, fails);
  EXPECT_EQ(circumstances_of(ask, {"wrong-number", true, first, least, {first}}).only_if,
            std::vector<std::string>{"keys > 64"});
  EXPECT_TRUE(circumstances_of(ask, {"wrong-number", true, first, least, {first, other}}).only_if.empty());
}

/// A refusal and another failure tell nothing.
TEST(Conditions, AreNotTakenFromOtherFailures) {
  const AskKernel ask = [&](const FurtherCall& call) {
    const index keys = call.problem.shape.keys;
    return Heard{keys > 64   ? Verdict::failed("wrong-number", "")
                 : keys > 32 ? Verdict::failed("crashed", "")
                             : Verdict::skipped("refused")};
  };
  const Problem first = parse_problem("shape=1x2x16x100x16"), least = parse_problem("shape=1x1x1x65x1");
  EXPECT_TRUE(circumstances_of(ask, {"wrong-number", true, first, least, {first}}).empty());
}

}  // namespace
}  // namespace attestone

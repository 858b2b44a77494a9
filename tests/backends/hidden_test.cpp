// SPDX-License-Identifier: Apache-2.0
// What is hidden stays hidden: NaN in it changes no bit of anything that does not see it, forward and backward.
#include <cmath>
#include <gtest/gtest.h>

#include "tests/backends/published_kernels.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A random problem in which one tensor element is one address.
Problem packed_problem(std::mt19937_64& random) {
  Problem problem = random_problem_with_gradients(random, kernel_formats);
  problem.layout = "bhsd";
  return problem;
}

void set_row(Tensor& tensor, index batch, index head, index row, double value) {
  for (index c = 0; c < tensor.view().extents()[3]; ++c) tensor.view().set(batch, head, row, c, value);
}

/// True if some query of the heads that read this key sees it.
bool is_seen(const Problem& problem, const VisiblePairs& visible, index batch, index kv_head, index key) {
  for (index head = 0; head < problem.shape.heads; ++head)
    for (index query = 0; query < problem.shape.queries; ++query)
      if (problem.shape.kv_head(head) == kv_head && visible({batch, head, query, key})) return true;
  return false;
}

/// Writes NaN into the keys and values that nobody sees, into the queries and output gradients that see nothing, and
/// into the biases of masked pairs.
void poison_what_nobody_sees(RandomCall& call, const VisiblePairs& visible) {
  const Shape& shape = call.problem.shape;
  for (index b = 0; b < shape.batch; ++b) {
    for (index g = 0; g < shape.kv_heads; ++g)
      for (index j = 0; j < shape.keys; ++j)
        if (!is_seen(call.problem, visible, b, g, j))
          for (Tensor* tensor : {&call.inputs.key, &call.inputs.value}) set_row(*tensor, b, g, j, nan);
    for (index h = 0; h < shape.heads; ++h)
      for (index i = 0; i < shape.queries; ++i)
        if (visible.count(b, h, i) == 0)
          for (Tensor* tensor : {&call.inputs.query, &*call.inputs.dout}) set_row(*tensor, b, h, i, nan);
  }
  if (call.problem.score.bias_tensor() == "full")
    for_each_element(call.inputs.bias->view().extents(), [&](index b, index h, index i, index j) {
      if (!call.problem.visible({b, h, i, j})) call.inputs.bias->view().set(b, h, i, j, nan);
    });
}

TEST(Hidden, WhatNobodySeesChangesNothing) {
  std::mt19937_64 random(1);
  for (index n = 0; n < effort(fewer_if_sanitized(100), 3000); ++n) {
    const Problem problem = packed_problem(random);
    RandomCall clean(problem), dirty(problem);
    poison_what_nobody_sees(dirty, VisiblePairs(problem, clean.inputs));
    for (const SharedKernel& kernel : kernels_that_see_nothing_hidden()) {
      for (RandomCall* call : {&clean, &dirty}) {
        call->run(*kernel);
        call->run_backward(*kernel);
      }
      ASSERT_EQ(clean.codes(), dirty.codes()) << kernel->name() << " " << problem.text();
    }
  }
}

/// One poisoned key, and which rows it reaches: the queries that see it, and the keys that those see.
struct Infection {
  const VisiblePairs& visible;
  const Problem& problem;
  index key;

  bool query(index batch, index head, index query) const { return visible({batch, head, query, key}); }
  bool other_key(index batch, index kv_head, index other) const {
    for (index head = 0; head < problem.shape.heads; ++head)
      for (index i = 0; i < problem.shape.queries; ++i)
        if (problem.shape.kv_head(head) == kv_head && query(batch, head, i) && visible({batch, head, i, other}))
          return true;
    return false;
  }
};

/// NaN where `infected` says so, and the same codes elsewhere.
template <class Infected>
void expect_spread(const Tensor& clean, const Tensor& dirty, Infected infected, const std::string& text) {
  const ConstView before = clean.view(), after = dirty.view();
  for_each_element(before.extents(), [&](index b, index h, index r, index c) {
    if (infected(b, h, r))
      EXPECT_TRUE(std::isnan(after.value(b, h, r, c))) << text;
    else
      EXPECT_EQ(after.code(b, h, r, c), before.code(b, h, r, c)) << text;
  });
}

TEST(Hidden, APoisonedKeyReachesThoseThatSeeItAndNoOther) {
  std::mt19937_64 random(2);
  for (index n = 0; n < effort(fewer_if_sanitized(100), 3000); ++n) {
    const Problem problem = packed_problem(random);
    if (problem.shape.keys == 0) continue;
    RandomCall clean(problem), dirty(problem);
    const VisiblePairs visible(problem, clean.inputs);
    const Infection infection{visible, problem,
                              static_cast<index>(random() % static_cast<std::uint64_t>(problem.shape.keys))};
    for (index b = 0; b < problem.shape.batch; ++b)
      for (index g = 0; g < problem.shape.kv_heads; ++g)
        for (Tensor* tensor : {&dirty.inputs.key, &dirty.inputs.value}) set_row(*tensor, b, g, infection.key, nan);
    for (const SharedKernel& kernel : kernels_that_see_nothing_hidden()) {
      for (RandomCall* call : {&clean, &dirty}) {
        call->run(*kernel);
        call->run_backward(*kernel);
      }
      const auto sees = [&](index b, index h, index i) { return infection.query(b, h, i); };
      const auto reached = [&](index b, index g, index j) { return infection.other_key(b, g, j); };
      const std::string text = kernel->name() + " " + problem.text();
      expect_spread(clean.outputs.out, dirty.outputs.out, sees, text);
      expect_spread(clean.gradients->query, dirty.gradients->query, sees, text);
      expect_spread(clean.gradients->key, dirty.gradients->key, reached, text);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace attestone

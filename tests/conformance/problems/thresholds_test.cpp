// SPDX-License-Identifier: Apache-2.0
// Faults that begin late: at a sequence, head, key or row. Suites reach them in every format.
#include <gtest/gtest.h>

#include "conformance/problems/suite.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/problems/doubled_rows.hpp"

namespace attestone {
namespace {

enum class Axis { batch, head, key, row };

bool reaches(Axis axis, index from, const Problem& problem, const Pair& at) {
  switch (axis) {
    case Axis::batch:
      return at.batch >= from;
    case Axis::head:
      return at.head >= from;
    case Axis::key:
      return problem.sequence(at.batch).keys > from;
    case Axis::row:
      return at.query >= from;
  }
  return false;
}

bool is_long_enough(Axis axis, index from, const Shape& shape) {
  const index extents[]{shape.batch, shape.heads, shape.keys, shape.queries};
  return extents[static_cast<std::size_t>(axis)] > from;
}

/// Wrong in rows of O from an index of an axis on; along keys, in all rows of sequences with so many.
SharedKernel wrong_from(Axis axis, index from) {
  return with_doubled_rows([=](const Problem& problem, const Arguments&) {
    return [&problem, axis, from](const Pair& at) { return reaches(axis, from, problem, at); };
  });
}

/// The run of a kernel on these problems that judges values of O alone.
KernelRun run_of(SharedKernel kernel, std::vector<Problem> problems) {
  return examine(Candidate(std::move(kernel)), {.problems = std::move(problems),
                                                .properties = {Registry<Property>::find("value_bound")},
                                                .fail_fast = true,
                                                .explain = false});
}

void expect_seen_in_every_format(const char* suite, Axis axis, index from) {
  std::map<std::string, std::vector<Problem>> by_format;
  for (const Problem& problem : load_suite(suite))
    if (is_long_enough(axis, from, problem.shape) && make_kernel("flash")->takes(problem))
      by_format[dtype_text(problem)].push_back(problem);
  EXPECT_EQ(by_format.size(), 5u);
  for (const auto& [format, problems] : by_format)
    EXPECT_FALSE(run_of(wrong_from(axis, from), problems).failures.empty())
        << suite << " does not reach " << from << " in " << format;
}

// slow: judges many problems
TEST(Thresholds, AreReachedBySmokeInEveryFormat) {
  expect_seen_in_every_format("smoke", Axis::batch, 3);
  expect_seen_in_every_format("smoke", Axis::head, 8);
  expect_seen_in_every_format("smoke", Axis::key, 300);
}

// slow: judges many problems
TEST(Thresholds, AreReachedByCiInEveryFormatSlow) {
  expect_seen_in_every_format("ci", Axis::batch, 4);
  expect_seen_in_every_format("ci", Axis::head, 13);
  expect_seen_in_every_format("ci", Axis::key, 1500);
  expect_seen_in_every_format("ci", Axis::row, 1000);
}

// slow: judges many problems
TEST(Thresholds, BeyondAllProblemsAreNotSeen) {
  const KernelRun run = run_of(wrong_from(Axis::head, 5000), load_suite("smoke"));
  EXPECT_TRUE(run.conforms());
  EXPECT_LT(common_reach(run.reach, false)[1], 5000);
}

TEST(Reach, IsWhatTheFurthestProblemsOfEveryFormatHave) {
  std::vector<Problem> all = parse_problems("shape=2x3x4x50x8 dtype=f32,bf16");
  const std::vector<Problem> more = parse_problems("shape=1x8x9x80x4 lengths=12 dtype=f32");
  all.insert(all.end(), more.begin(), more.end());
  const KernelRun run = run_of(make_kernel("flash"), all);
  EXPECT_EQ(run.reach.at("f32"), (Reach{1, 7, 8, 49, 7}));
  EXPECT_EQ(common_reach(run.reach, false), (Reach{1, 2, 3, 49, 7}));
  EXPECT_EQ(common_reach(run.reach, true), (Reach{-1, -1, -1, -1, -1}));
}

}  // namespace
}  // namespace attestone

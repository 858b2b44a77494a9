// SPDX-License-Identifier: Apache-2.0
// Where errors lie: planted blocks are found, sums agree with plain loops, and runs keep what reports show.
#include "conformance/verdict/accuracy_by_place.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

#include "backends/catalogue.hpp"
#include "conformance/run/run.hpp"
#include "conformance/verdict/error_field.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr AxisNames axes{"batch", "head", "query", "channel"};

/// A field whose elements are those of `error(batch, head, row number, channel)`.
template <class Error>
ErrorField field(const Extents& extents, const std::vector<index>& rows, Error error) {
  ErrorField field("out", axes, extents, rows);
  for (index b = 0; b < extents[0]; ++b)
    for (index h = 0; h < extents[1]; ++h)
      for (index r = 0; r < extents[2]; ++r)
        for (index c = 0; c < extents[3]; ++c) {
          const double r_det = error(b, h, rows[static_cast<std::size_t>(r)], c);
          field.set(b, h, r, c, r_det, std::isfinite(r_det) ? 2 * r_det : ErrorField::none);
        }
  return field;
}

std::vector<index> all_rows(index count) {
  std::vector<index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), index{0});
  return rows;
}

template <class Error>
std::string where(const Extents& extents, const std::vector<index>& rows, Error error) {
  return accuracy_by_place({field(extents, rows, error)}).at(0).where;
}

TEST(AccuracyByPlace, FindsAPlantedBlock) {
  const auto planted = [](index, index h, index r, index c) {
    return h == 3 && r >= 64 && r < 128 && c < 8 ? 5 : 0.25;
  };
  const auto all = accuracy_by_place({field({1, 8, 1000, 64}, all_rows(1000), planted)});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].where, "head 3, queries 64-127, channels 0-7");
  EXPECT_EQ(all[0].all.elements, 8 * 1000 * 64);
  EXPECT_EQ(all[0].all.beyond_bound, 64 * 8);
  EXPECT_EQ(all[0].all.max_ulp, 10);
  ASSERT_EQ(all[0].axes.size(), 3u) << "an axis of extent 1 says nothing";
  const AxisAccuracy& heads = all[0].axes[0];
  EXPECT_EQ(heads.axis, "head");
  ASSERT_EQ(heads.places.size(), 8u);
  EXPECT_EQ(heads.places[3].beyond_bound, 64 * 8);
  EXPECT_EQ(heads.places[4].r_det, 0.25);
  const AxisAccuracy& rows = all[0].axes[1];
  ASSERT_EQ(rows.places.size(), 16u);
  EXPECT_EQ(rows.places[1].first, 64);
  EXPECT_EQ(rows.places[1].last, 127);
  EXPECT_EQ(rows.places[1].r_det, 5);
  EXPECT_EQ(rows.places[2].r_det, 0.25);
  EXPECT_EQ(rows.places[15].last, 999);
}

TEST(AccuracyByPlace, NamesPlacesAsAReaderWould) {
  const Extents extents{2, 1, 20, 16};
  const auto rows = all_rows(20);
  EXPECT_EQ(where(extents, rows, [](auto...) { return 0.0; }), "nowhere");
  EXPECT_EQ(where(extents, rows, [](auto...) { return 3.0; }), "everywhere");
  EXPECT_EQ(where(extents, rows, [](index b, index, index r, index) { return b == 1 && (r == 3 || r > 17) ? 2 : 0.1; }),
            "batch 1, queries 3, 18-19");
  EXPECT_EQ(where(extents, rows, [](index, index, index, index c) { return c % 2 == 0 ? 2 : 0.1; }),
            "8 of 16 channels from 0 to 14");
  // Nothing is beyond its bound: the larger errors, and no axis along which they are the rule.
  EXPECT_EQ(where(extents, rows, [](index, index, index r, index c) { return c == 5 && r > 3 ? 0.8 : 0.3; }),
            "channel 5");
  // A NaN where there should be none is beyond every bound.
  EXPECT_EQ(where(extents, rows, [](index, index, index r, index) { return r == 7 ? infinity : 0.3; }), "query 7");
}

TEST(AccuracyByPlace, CountsSampledRowsByTheirNumbers) {
  const std::vector<index> rows{0, 1, 2, 500, 998, 999};
  const auto late = [](index, index, index r, index) { return r >= 500 ? 2 : 0.1; };
  EXPECT_EQ(where({1, 1, 6, 1}, rows, late), "sampled queries 500-999");
  const auto all = accuracy_by_place({field({1, 1, 6, 1}, rows, late)});
  const auto& places = all.at(0).axes.at(0).places;
  ASSERT_EQ(places.size(), 3u) << "blocks of 64 without a sampled row are left out";
  EXPECT_EQ(places[0].last, 2);
  EXPECT_EQ(places[1].first, 500);
  EXPECT_EQ(places[2].elements, 2);
}

TEST(AccuracyByPlace, LeavesOutWhatWasNotJudged) {
  EXPECT_TRUE(accuracy_by_place({ErrorField("out", axes, {2, 2, 0, 3}, {})}).empty());
  EXPECT_TRUE(accuracy_by_place({ErrorField("out", axes, {2, 2, 3, 3}, all_rows(3))}).empty());
  // A ragged batch: the second sequence has one row of three.
  const auto ragged = [](index b, index, index r, index) { return b == 1 && r > 0 ? ErrorField::none : 2 + 1.0 * b; };
  const auto all = accuracy_by_place({field({2, 1, 3, 4}, all_rows(3), ragged)});
  EXPECT_EQ(all.at(0).all.elements, (3 + 1) * 4);
  EXPECT_EQ(all.at(0).axes.at(1).places.at(2).r_det, 2);
  EXPECT_EQ(all.at(0).where, "everywhere");
}

TEST(AccuracyByPlace, AgreesWithPlainLoops) {
  std::mt19937_64 random(1);
  const Extents extents{3, 5, 70, 33};
  const auto rows = all_rows(70);
  const auto drawn = field(extents, rows, [&](auto...) {
    return random() % 7 == 0 ? ErrorField::none : static_cast<double>(random() % 1000) / 900;
  });
  const TensorAccuracy accuracy = accuracy_by_place({drawn}).at(0);
  for (std::size_t axis = 0; axis < 4; ++axis)
    for (const PlaceAccuracy& place : accuracy.axes.at(axis).places) {
      PlaceAccuracy want{place.first, place.last};
      std::array<index, 4> at{};
      for (std::size_t element = 0; element < drawn.r_det().size(); ++element) {
        auto rest = static_cast<index>(element);
        for (std::size_t a = 4; a-- > 0; rest /= extents[a]) at[a] = rest % extents[a];
        const double r_det = drawn.r_det()[element];
        if (r_det < 0 || at[axis] < place.first || at[axis] > place.last) continue;
        ++want.elements;
        want.beyond_bound += r_det > 1;
        want.r_det = std::max(want.r_det, r_det);
        want.max_ulp = std::max(want.max_ulp, 2 * r_det);
      }
      EXPECT_EQ(place.elements, want.elements) << axis << " " << place.first;
      EXPECT_EQ(place.beyond_bound, want.beyond_bound) << axis << " " << place.first;
      EXPECT_EQ(place.r_det, want.r_det) << axis << " " << place.first;
      EXPECT_EQ(place.max_ulp, want.max_ulp) << axis << " " << place.first;
    }
}

KernelRun run_of(const char* mutant, const char* problems, const char* property) {
  return examine(Registry<Mutant>::find(mutant)->kernel(),
                 {.problems = parse_problems(problems), .properties = {Registry<Property>::find(property)}});
}

TEST(AccuracyByPlace, StandsInARunOnceForEachFailureAndFormat) {
  const KernelRun run =
      run_of("narrow_value_loses_tail", "shape=1x2x9x12x8:4,1x2x9x12x8:5 dtype=f32,bf16", "value_bound");
  ASSERT_EQ(run.failures.size(), 1u);
  EXPECT_EQ(run.failures[0].by_place.at(0).where, "channel 3") << "of the first problem, not of the least";
  EXPECT_EQ(run.failures[0].by_place.at(1).all.beyond_bound, 0) << "log_sum_exp is right";
  ASSERT_EQ(run.least_accurate.size(), 2u);
  EXPECT_GT(run.least_accurate.at("bf16").r_det, 1);
  for (const Case& one : run.cases) EXPECT_TRUE(one.verdict.by_place.empty());
}

TEST(AccuracyByPlace, CountsTheRowsOfARaggedBatchThatExist) {
  const Problem ragged = parse_problem("shape=2x1x9x9x8 lengths=9+4 query_lengths=9+4 layout=ragged");
  const Verdict verdict = examine_case(*make_kernel("flash"), *Registry<Property>::find("value_bound"), ragged);
  EXPECT_EQ(verdict.by_place.at(0).all.elements, (9 + 4) * 8);
  EXPECT_EQ(verdict.by_place.at(0).axes.at(0).places.at(1).elements, 4 * 8);
}

// slow: judges many problems
TEST(AccuracyByPlace, KnowsTheGradientAndItsRows) {
  const KernelRun run = run_of("key_gradient_in_bf16", "shape=1x2x40x17x8 pass=forward+backward", "gradient_bound");
  ASSERT_EQ(run.failures.size(), 1u);
  const auto& by_place = run.failures[0].by_place;
  ASSERT_EQ(by_place.size(), 3u);
  EXPECT_EQ(by_place[0].all.beyond_bound, 0) << "dQ is right";
  EXPECT_EQ(by_place[1].tensor, "dkey");
  EXPECT_GT(by_place[1].all.beyond_bound, 0);
  EXPECT_EQ(by_place[1].axes.at(1).axis, "key");
}

}  // namespace
}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Three independent opinions on every mask agree: the rule's file, the picture, and the diagonals of the flash kernel.
#include <algorithm>
#include <gtest/gtest.h>

#include "backends/cpu/parts/tile_mask.hpp"
#include "reference/problem/problem.hpp"
#include "tests/effort.hpp"
#include "tests/masks/random_mask.hpp"
#include "tests/masks/reference_picture.hpp"

namespace attestone {
namespace {

constexpr index largest_extent = 7, largest_argument = 4;

Mask mask_of(const std::string& text) { return parse_problem("shape=1x1x1x1x1 mask=" + text).mask; }

template <class Allows>
Picture drawn(const Sequence& size, Allows allows) {
  Picture rows(static_cast<std::size_t>(size.queries));
  for (index query = 0; query < size.queries; ++query)
    for (index key = 0; key < size.keys; ++key) rows[static_cast<std::size_t>(query)] += allows(query, key) ? '#' : '.';
  return rows;
}

/// Calls check(paper) for every pair of lengths from 0 to 7, each under a sequence, head and seed of its own.
template <class Check>
void for_each_paper(Check check) {
  static std::mt19937_64 random(4);
  for (index queries = 0; queries <= largest_extent; ++queries)
    for (index keys = 0; keys <= largest_extent; ++keys)
      check(Paper{{queries, keys}, static_cast<index>(random() % 3), static_cast<index>(random() % 3), random()});
}

/// The flash kernel takes part where it reads the mask's plain data.
void expect_agreement(const Mask& mask, const Paper& paper) {
  const auto& [size, batch, head, seed] = paper;
  const Picture painted = picture(mask, paper);
  EXPECT_EQ(painted, reference_picture(mask, paper))
      << mask.text() << " " << size.queries << "x" << size.keys << " seed " << seed;
  if (const auto flash = TileMask::of(mask, size)) {
    EXPECT_EQ(painted, drawn(size, [&](index query, index key) { return flash->visible(query, key); }))
        << "flash, " << mask.text() << " " << size.queries << "x" << size.keys;
  }
}

TEST(Masks, LookAsTheyAreDrawnInTheDocumentation) {
  const auto picture_of = [](const char* text, const Sequence& size) { return picture(mask_of(text), Paper{size}); };
  EXPECT_EQ(picture_of("causal", {3, 5}), (Picture{"###..", "####.", "#####"}));
  EXPECT_EQ(picture_of("causal", {5, 3}), (Picture{"...", "...", "#..", "##.", "###"}));
  EXPECT_EQ(picture_of("causal:top_left", {3, 5}), (Picture{"#....", "##...", "###.."}));
  EXPECT_EQ(picture_of("window:1:0", {3, 5}), (Picture{".##..", "..##.", "...##"}));
  EXPECT_EQ(picture_of("window:-1:1", {2, 5}), (Picture{"#####", "#####"}));
  EXPECT_EQ(picture_of("causal&~window:0:0", {3, 3}), (Picture{"...", "#..", "##."}));
  EXPECT_EQ(picture_of("prefix:2", {4, 4}), (Picture{"##..", "##..", "###.", "####"}));
  EXPECT_EQ(picture_of("needle:3", {3, 7}), (Picture{"#..##.#", "#..#.##", "#..#..#"}));
  EXPECT_EQ(picture_of("dilated:2", {3, 5}), (Picture{"#.#.#", ".#.#.", "#.#.#"}));
  EXPECT_EQ(picture_of("dense:0|dense:100", {2, 3}), (Picture{"###", "###"}));
  EXPECT_EQ(picture_of("document:1", {3, 2}), (Picture{"..", "##", "##"}));
  EXPECT_EQ(picture_of("chunk:3", {4, 7}), (Picture{"...###.", "...###.", "...###.", "......#"}));
  EXPECT_EQ(picture_of("chunk:2", {4, 3}), (Picture{"...", "##.", "##.", "..#"}));
  EXPECT_EQ(picture_of("block_causal:3", {4, 7}), (Picture{"######.", "######.", "######.", "#######"}));
  EXPECT_EQ(picture_of("block_causal:2", {4, 3}), (Picture{"...", "##.", "##.", "###"}));
}

TEST(Masks, FlashReadsEveryBandOfDiagonals) {
  for (const char* text : {"full", "causal", "causal:top_left", "window:2:-1", "causal&~window:1:1|window:0:0"})
    EXPECT_TRUE(TileMask::of(mask_of(text), {3, 5})) << text;
}

std::vector<index> tried_arguments(const MaskRule& rule) {
  if (rule.most_argument < std::numeric_limits<index>::max())
    return {rule.least_argument, rule.least_argument + 1, rule.most_argument / 2, rule.most_argument - 1,
            rule.most_argument};
  std::vector<index> all;
  for (index value = rule.least_argument; value <= largest_argument; ++value) all.push_back(value);
  return all;
}

TEST(Masks, EveryRuleAgreesWithItsPicture) {
  for (const auto& [name, rule] : Registry<MaskRule>::all()) {
    std::vector<std::vector<index>> choices{{}};
    for (int i = 0; i < rule.argument_count; ++i) {
      std::vector<std::vector<index>> longer;
      for (const auto& choice : choices)
        for (const index value : tried_arguments(rule)) {
          longer.push_back(choice);
          longer.back().push_back(value);
        }
      choices = longer;
    }
    for (const auto& arguments : choices)
      for_each_paper([&, &rule_name = name](const Paper& paper) {
        expect_agreement(Mask(rule_name, arguments), paper);
        expect_agreement(~Mask(rule_name, arguments), paper);
      });
  }
}

TEST(Masks, RandomExpressionsAgreeWithTheirPictures) {
  std::mt19937_64 random(1);
  for (index n = 0; n < effort(300, 20000); ++n) {
    const Mask mask = random_mask(random, 3, largest_argument);
    for_each_paper([&](const Paper& paper) { expect_agreement(mask, paper); });
  }
}

TEST(Masks, PaddingIsHiddenWhateverTheMask) {
  std::mt19937_64 random(2);
  constexpr Sequence frame{5, 6};
  for (index n = 0; n < effort(300, 20000); ++n) {
    Problem problem = parse_problem("shape=1x1x5x6x1");
    problem.mask = random_mask(random, 2, largest_argument);
    problem.query_lengths = {static_cast<index>(random() % 6)};
    problem.lengths = {static_cast<index>(random() % 7)};
    EXPECT_EQ(padded(picture(problem.mask, {problem.sequence(0)}), frame),
              drawn(frame,
                    [&](index query, index key) {
                      return problem.visible({0, 0, query, key});
                    }))
        << problem.text();
  }
}

/// The part of a tile that is visible in a picture.
VisiblePart coverage(const Picture& rows, Interval queries, Interval keys) {
  index visible = 0;
  for (index query = queries.first; query <= queries.last; ++query) {
    const auto from = rows[static_cast<std::size_t>(query)].begin();
    visible += std::count(from + keys.first, from + keys.last + 1, '#');
  }
  if (visible == 0) return VisiblePart::none;
  const index all = (queries.last - queries.first + 1) * (keys.last - keys.first + 1);
  return visible == all ? VisiblePart::all : VisiblePart::some;
}

TEST(TileMask, KnowsEveryTileAndEveryRun) {
  std::mt19937_64 random(3);
  constexpr Sequence size{5, 6};
  for (index n = effort(200, 5000); n > 0;) {
    const Mask mask = random_mask(random, 2, largest_argument);
    const auto known = TileMask::of(mask, size);
    if (!known) continue;
    --n;
    const TileMask& tiles = *known;
    const Picture rows = picture(mask, {size});
    for (Interval q{0, 0}; q.first < size.queries; q.last + 1 < size.queries ? ++q.last : (++q.first, q.last = q.first))
      for (Interval k{0, 0}; k.first < size.keys; k.last + 1 < size.keys ? ++k.last : (++k.first, k.last = k.first)) {
        EXPECT_EQ(tiles.coverage(q, k), coverage(rows, q, k)) << mask.text();
        std::string runs(static_cast<std::size_t>(size.keys), '.');
        tiles.for_each_run(q.first, k, [&](Interval run) {
          for (index key = run.first; key <= run.last; ++key) runs[static_cast<std::size_t>(key)] = '#';
        });
        const std::string& row = rows[static_cast<std::size_t>(q.first)];
        const auto from = static_cast<std::size_t>(k.first), count = static_cast<std::size_t>(k.last - k.first + 1);
        EXPECT_EQ(runs.substr(from, count), row.substr(from, count)) << mask.text();
      }
  }
}

TEST(TileMask, SurvivesTheLargestArguments) {
  constexpr index huge = std::numeric_limits<index>::max();
  const TileMask tiles = *TileMask::of(Mask("window", {huge, huge}), {3, 5});
  EXPECT_EQ(tiles.coverage({0, 2}, {0, 4}), VisiblePart::all);
}

}  // namespace
}  // namespace attestone

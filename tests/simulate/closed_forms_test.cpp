// SPDX-License-Identifier: Apache-2.0
// The closed forms of docs/mesh_costs.md, once more from the page: of equal shards, on lines and rings of any length.
#include <gtest/gtest.h>

#include "tests/simulate/random_mesh.hpp"

namespace attestone {
namespace {

/// The page's letters, of bf16 and sums in f32.
struct Sizes {
  index q, k, L;
  index b = 2, g = 4;

  explicit Sizes(const Shape& shape, index ranks)
      : q(shape.batch * shape.queries / ranks * shape.heads * shape.dim),
        k(shape.batch * shape.keys / ranks * shape.kv_heads * shape.dim),
        L(4 * shape.batch * shape.queries / ranks * shape.heads) {}
};

/// Calls check(problem, places, place, sizes, documented costs of both passes) of every place on rings of up to 12.
template <class Check>
void for_each_place(const char* program, Check check) {
  const auto method = make_rank_program(program);
  for (index places = 2; places <= 12; ++places)
    for (const char* heads : {"4/4", "8/2"}) {
      const Problem problem = parse_problem(fmt::format("shape=2x{0}x{1}x{1}x16 dtype=bf16", heads, 3 * places));
      const Mesh mesh = mesh_of(fmt::format("ring:{}", places));
      const MeshShards shards(problem, mesh, *method);
      for (index place = 0; place < places; ++place) {
        const CostedRank rank = shards.costed(problem, place, *make_kernel("flash"));
        check(places, place, Sizes(problem.shape, places), method->forward_costs(rank), method->backward_costs(rank));
      }
    }
}

void expect(const RankCosts& costs, index messages, index bytes, index peak, const std::string& where) {
  EXPECT_EQ(costs.messages, messages) << where;
  EXPECT_EQ(costs.bytes, bytes) << where;
  EXPECT_EQ(costs.peak.bytes, peak) << where;
}

/// "8 places, 3"
std::string where(index places, index place) { return fmt::format("{} places, {}", places, place); }

/// i places on one side of a place, h on the other.
struct OnLine {
  index i, h;

  index places() const { return i + h + 1; }
  OnLine turned() const { return {h, i}; }
  index forwarded() const { return (h > 0 ? i + 1 : 0) + (i > 0 ? h + 1 : 0); }
  /// Shards of keys at step t: here, and coming.
  index here(index t) const { return t == 0 ? 1 : t < places() ? (i >= t) + (h >= t) : 0; }
  index keys(index t) const { return here(t) + (t < places() ? (i > t) + (h > t) : 0); }
  /// Shares that wait for their sums, and sums that come.
  index waiting(index t) const { return std::max(index{0}, std::min(i, t) - std::max(index{1}, t - 2 * h) + 1); }
  index coming(index t) const { return h > 0 && 2 * h <= t && t <= 2 * h + i; }
  index returning(index t) const { return 2 * h < t && t <= 2 * h + i; }
};

TEST(ClosedForms, OfAnOpenLine) {
  for_each_place("open_line:parts=output", [](index R, index place, const Sizes& s, const RankCosts& forward,
                                              const RankCosts& backward) {
    const OnLine one{place, R - 1 - place}, other = one.turned();
    const index pair = 2 * s.k * s.b, sums = 2 * s.k * s.g;
    const index shards = std::max(one.keys(0), std::min(one.i, index{2}) + std::min(one.h, index{2}));
    expect(forward, 2 * one.forwarded(), pair * one.forwarded(),
           s.q * s.b + pair * shards + (4 * s.q + s.L) + (s.q * s.b + s.L), where(R, place));
    index most = 0;
    for (index t = 0; t < 2 * R - 1; ++t) {
      const index room = 1 + one.coming(t) + other.coming(t);
      most = std::max(most, pair * one.keys(t) + sums * (room + one.waiting(t) + other.waiting(t)));
      if (t > 0) most = std::max(most, pair * one.here(t) + sums * (room + one.waiting(t - 1) + other.waiting(t - 1)));
    }
    expect(backward, 2 * one.forwarded() + 2 * (R - 1), pair * one.forwarded() + sums * (R - 1),
           2 * s.q * s.b + 2 * s.L + 4 * s.q + most, where(R, place));
  });
}

TEST(ClosedForms, OfARingAlongALineAsPublished) {
  for_each_place("ring:hops=to_both_ends:parts=output",
                 [](index R, index place, const Sizes& s, const RankCosts& forward, const RankCosts&) {
                   const index neighbours = (place > 0) + (place < R - 1), pair = 2 * s.k * s.b;
                   expect(forward, 2 * R * neighbours, pair * R * neighbours,
                          s.q * s.b + 5 * pair + (4 * s.q + s.L) + (s.q * s.b + s.L), where(R, place));
                 });
}

TEST(ClosedForms, OfAnOpenLineWhoseKeysTurn) {
  for_each_place("open_line:sums=reflecting",
                 [](index R, index place, const Sizes& s, const RankCosts&, const RankCosts& backward) {
                   const OnLine one{place, R - 1 - place}, other = one.turned();
                   const index pair = 2 * s.k * s.b, sums = 2 * s.k * s.g;
                   const index sent = one.forwarded() + std::max(one.i - 1, index{0}) + std::max(one.h - 1, index{0});
                   index most = 0;
                   for (index t = 0; t < 2 * R - 1; ++t) {
                     index keys = one.keys(t), gradients = 1;
                     for (const OnLine& way : {one, other}) {
                       if (way.h > 0) keys += way.returning(t) + way.returning(t + 1);
                       gradients += way.returning(t) + way.returning(t - 1) + way.coming(t);
                     }
                     most = std::max(most, pair * keys + sums * gradients);
                   }
                   expect(backward, 2 * sent + 2 * (R - 1), pair * sent + sums * (R - 1),
                          2 * s.q * s.b + 2 * s.L + 4 * s.q + most, where(R, place));
                 });
}

/// Heads that members and chunks divide.
TEST(ClosedForms, OfChunksOfHeads) {
  for (index members = 2; members <= 4; ++members)
    for (index chunks = 2; chunks <= 5; ++chunks)
      for (const index readers : {1, 2, 8}) {
        const index kv_heads = members * chunks, heads = readers * kv_heads;
        const Problem problem =
            parse_problem(fmt::format("shape=2x{0}/{1}x{2}x{2}x16 dtype=bf16", heads, kv_heads, 3 * members));
        const auto method = make_rank_program(fmt::format("ulysses:chunks={}", chunks));
        const Mesh mesh = mesh_of(fmt::format("ulysses:{}", members));
        const MeshShards shards(problem, mesh, *method);
        const Sizes s(problem.shape, members);
        const index both = 2 * (s.q + s.k) * s.b;
        for (index place = 0; place < members; ++place)
          expect(method->forward_costs(shards.costed(problem, place, *make_kernel("flash"))),
                 4 * (members - 1) * chunks, both * (members - 1) / members,
                 both + (2 * s.k * s.b + (chunks - 1) * s.L) / chunks, fmt::format("{} chunks", chunks));
      }
}

/// Form A, and beside it the largest norm of each head of Q and of K.
TEST(ClosedForms, OfFixedMaxima) {
  for_each_place("ring:merge=fixed_maximum",
                 [](index R, index place, const Sizes& s, const RankCosts& forward, const RankCosts&) {
                   constexpr index rows = 2 * 3, dim = 16;
                   const index pair = 2 * s.k * s.b, norms = s.L / rows + 4 * s.k / (rows * dim);
                   expect(forward, 3 * (R - 1), (pair + norms) * (R - 1),
                          s.q * s.b + 2 * pair + 2 * (4 * s.q + 2 * s.L), where(R, place));
                 });
}

/// A byte a number, and a scale of four for each row of K and of V; codes stay beside what is read of them.
TEST(ClosedForms, OfCodedKeys) {
  constexpr index dim = 16;
  const auto check = [](index R, index place, const Sizes& s, const RankCosts& forward, const RankCosts& backward) {
    const index pair = 2 * s.k * s.b, codes = 2 * s.k + 2 * 4 * s.k / dim, sums = 2 * s.k * s.g;
    expect(forward, 3 * (R - 1), codes * (R - 1), s.q * s.b + pair + 2 * codes + (4 * s.q + s.L) + (s.q * s.b + s.L),
           where(R, place));
    const index kept = R > 2 ? 2 * codes : codes;
    expect(backward, 3 * (R - 1) + 2 * R, codes * (R - 1) + sums * R,
           2 * s.q * s.b + 2 * s.L + 4 * s.q + pair + kept + 3 * sums, where(R, place));
  };
  for_each_place("ring:payload=int8:parts=output", check);
  for_each_place("ring:payload=e4m3:parts=output", check);
}

/// Heads that chunks divide.
TEST(ClosedForms, OfGatheringInChunks) {
  for (const index chunks : {2, 3, 6})
    for (index R = 2; R <= 12; ++R) {
      const Problem problem = parse_problem(fmt::format("shape=2x12/6x{0}x{0}x16 dtype=bf16", 3 * R));
      const auto method = make_rank_program(fmt::format("all_gather:chunks={}", chunks));
      const Mesh mesh = mesh_of(fmt::format("ring:{}", R));
      const MeshShards shards(problem, mesh, *method);
      const Sizes s(problem.shape, R);
      const index q = s.q * s.b, pair = 2 * s.k * s.b, sums = 2 * s.k * s.g;
      const index keys = 2 * R * pair / chunks, gradients = R * sums / chunks + (chunks > 2 ? pair : 0);
      for (index place = 0; place < R; ++place) {
        const CostedRank rank = shards.costed(problem, place, *make_kernel("flash"));
        expect(method->forward_costs(rank), 2 * (R - 1) * chunks, pair * (R - 1), 2 * q + pair + keys + s.L,
               where(R, place));
        expect(method->backward_costs(rank), 4 * (R - 1) * chunks, (pair + sums) * (R - 1),
               3 * q + 2 * s.L + pair + keys + gradients, where(R, place));
      }
    }
}

TEST(ClosedForms, OfSplitKeys) {
  for_each_place("split_keys:parts=output", [](index R, index place, const Sizes& s, const RankCosts& forward,
                                               const RankCosts& backward) {
    const index q = s.q * s.b, pair = 2 * s.k * s.b, part = q + s.L, sums = 4 * s.q + s.L;
    const index known = 2 * q + 2 * s.L, share = 4 * s.q;
    expect(forward, 3 * (R - 1), (R - 1) * (q + part),
           std::max({q + pair + R * q, pair + R * q + sums + R * part, sums + 2 * R * part}), where(R, place));
    expect(backward, 5 * (R - 1), (R - 1) * (known + share),
           std::max({(R + 1) * known + pair, R * known + 2 * pair + R * share, pair + 2 * R * share}), where(R, place));
  });
}

}  // namespace
}  // namespace attestone

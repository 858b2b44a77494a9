// SPDX-License-Identifier: Apache-2.0
// Every row is held by one rank, and every pair of rows meets once.
#include "backends/distributed/sharding/shard.hpp"

#include <gtest/gtest.h>
#include <set>

#include "backends/distributed/sharding/head_shards.hpp"
#include "backends/distributed/sharding/mesh.hpp"

namespace attestone {
namespace {

using Rows = std::vector<index>;

TEST(Shards, DealAsTheirNamesSay) {
  EXPECT_EQ(Shards(Dealing::block, {10}, 4, 1).of(0, 0).of(0), (Rows{0, 1, 2}));
  EXPECT_EQ(Shards(Dealing::block, {10}, 4, 1).of(3, 0).of(0), (Rows{8, 9}));
  EXPECT_EQ(Shards(Dealing::zigzag, {8}, 2, 1).of(0, 0).of(0), (Rows{0, 1, 6, 7}));
  EXPECT_EQ(Shards(Dealing::zigzag, {8}, 2, 1).of(1, 0).of(0), (Rows{2, 3, 4, 5}));
  EXPECT_EQ(Shards(Dealing::striped, {7}, 3, 1).of(1, 0).of(0), (Rows{1, 4}));
  // Two places of a ring, two members each: members split what their place has.
  EXPECT_EQ(Shards(Dealing::zigzag, {8}, 2, 2).of(0, 1).of(0), (Rows{6, 7}));
  EXPECT_EQ(Shards(Dealing::block, {10}, 2, 2).of_ring(0).of(0), (Rows{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(Shards(Dealing::block, {10}, 2, 2).of(0, 1).of(0), (Rows{3, 4, 5}));
}

TEST(Shards, HoldEveryRowOnceAndDifferByAFew) {
  const std::vector<index> lengths{0, 1, 3, 10, 47, 48};
  for (const Dealing dealing : {Dealing::block, Dealing::zigzag, Dealing::striped})
    for (index ring = 1; ring <= 6; ++ring)
      for (index ulysses = 1; ulysses <= 4; ++ulysses) {
        const Shards shards(dealing, lengths, ring, ulysses);
        for (std::size_t sequence = 0; sequence < lengths.size(); ++sequence) {
          const auto at = static_cast<index>(sequence);
          std::multiset<index> all;
          for (index r = 0; r < ring; ++r) {
            Rows of_members;
            for (index u = 0; u < ulysses; ++u) {
              const Rows& own = shards.of(r, u).of(at);
              EXPECT_TRUE(std::ranges::is_sorted(own));
              EXPECT_LE(std::ssize(own), lengths[sequence] / (ring * ulysses) + 2);
              of_members.insert(of_members.end(), own.begin(), own.end());
            }
            EXPECT_EQ(of_members, shards.of_ring(r).of(at));
            all.insert(of_members.begin(), of_members.end());
          }
          EXPECT_EQ(std::ssize(all), lengths[sequence]);
          EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
        }
      }
}

TEST(HeldRows, LieSequenceBySequence) {
  const HeldRows rows({{4, 5}, {}, {0, 7, 9}});
  EXPECT_EQ(rows.count(), 5);
  EXPECT_EQ(rows.begin(2), 2);
  EXPECT_EQ(rows.count(1), 0);
}

TEST(HeadShards, GiveQueryHeadsToThoseWhoHoldWhatTheyRead) {
  const Shape shape{.heads = 12, .kv_heads = 6};
  const HeadShards uneven(shape, 4, 1);  // 2, 2, 1, 1 kv heads, two query heads each
  EXPECT_EQ(uneven.of(1).kv, (Interval{2, 3}));
  EXPECT_EQ(uneven.of(1).query, (Interval{4, 7}));
  EXPECT_EQ(uneven.of(3).query, (Interval{10, 11}));
  const HeadShards copied(shape, 4, 2);  // twelve copies, three each
  EXPECT_EQ(copied.of(1).kv, (Interval{3, 5}));
  EXPECT_EQ(copied.kv_head(3), 1);
  EXPECT_EQ(copied.kv_head(4), 2);
}

TEST(Mesh, HasItsFirstAxisInside) {
  const Mesh mesh({{"ulysses", 2}, {"ring", 3}});
  EXPECT_EQ(mesh.devices(), 6);
  EXPECT_EQ(mesh.group(3, "ulysses").members, (Rows{2, 3}));
  EXPECT_EQ(mesh.group(3, "ring").members, (Rows{1, 3, 5}));
  EXPECT_EQ(mesh.group(3, "ring").place, 1);
  EXPECT_EQ(mesh.group(3, "batch").members, (Rows{3}));
  EXPECT_EQ(mesh.text(), "ulysses:2+ring:3");
}

}  // namespace
}  // namespace attestone

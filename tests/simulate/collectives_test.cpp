// SPDX-License-Identifier: Apache-2.0
// Collectives of 1 to 7 ranks, with unequal and empty parts: what arrives, how many messages, how many bytes.
#include "tests/simulate/in_a_world.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// Part i has this many elements: some have none.
index length(index place) { return place * 3 % 5; }
index all_lengths(index size) {
  index all = 0;
  for (index place = 0; place < size; ++place) all += length(place);
  return all;
}
index beside(index place, index steps, index size) { return ((place + steps) % size + size) % size; }

/// A tensor for each member's part, of these numbers.
std::vector<Tensor> parts(index size, const std::function<double(index)>& value) {
  std::vector<Tensor> all;
  for (index place = 0; place < size; ++place) all.push_back(row(length(place), value(place)));
  return all;
}
std::vector<View> views(std::vector<Tensor>& tensors) {
  std::vector<View> all;
  for (Tensor& tensor : tensors) all.push_back(tensor.view());
  return all;
}
void expect_all(const Tensor& tensor, double value) {
  const ConstView view = tensor.view();
  for_each_element(view, [&](index b, index h, index r, index c) { EXPECT_EQ(view.value(b, h, r, c), value); });
}

class Collectives : public testing::TestWithParam<index> {
 protected:
  const index size = GetParam();
  World world{settings(size, 7)};
};
INSTANTIATE_TEST_SUITE_P(Sizes, Collectives, testing::Range(index{1}, index{8}), numbered("ranks"));

TEST_P(Collectives, PermuteMovesEachTensorByItself) {
  for (const Messages messages : {Messages::apart, Messages::together}) {
    World fresh(settings(size));
    fresh.run([&](index rank) -> Task<> {
      const Group group = everybody(fresh, rank);
      const index from = group.beside(-2);
      const Tensor key = row(length(rank), 10. + static_cast<double>(rank)), value = row(2, static_cast<double>(rank));
      Tensor other_key = row(length(from)), other_value = row(2);
      const std::vector<ConstView> out = sent({&key, &value});
      const std::vector<View> in = taken({&other_key, &other_value});
      co_await all_of(permute(fresh.communicator(rank), group, 2, out, in, messages));
      expect_all(other_key, 10. + static_cast<double>(from));
      expect_all(other_value, static_cast<double>(from));
    });
    for (index rank = 0; rank < size; ++rank) {
      const bool alone = size <= 2;  // two steps on stands the rank itself
      EXPECT_EQ(fresh.sent(rank),
                alone ? Traffic() : (Traffic{messages == Messages::together ? 1 : 2, 4 * (length(rank) + 2)}));
    }
  }
}

TEST_P(Collectives, AStepOnALineGoesNoFurtherThanItsEnds) {
  for (const Messages messages : {Messages::apart, Messages::together})
    for (const index steps : {1, -1}) {
      World fresh(settings(size));
      fresh.run([&](index rank) -> Task<> {
        const Group group = everybody(fresh, rank);
        const index to = rank + steps, from = rank - steps;
        const Tensor key = row(2, 10. + static_cast<double>(rank)), value = row(1, static_cast<double>(rank));
        Tensor other_key = row(2, -1), other_value = row(1, -1);
        std::vector<ConstView> out;
        std::vector<View> in;
        if (to >= 0 && to < size) out = sent({&key, &value});
        if (from >= 0 && from < size) in = taken({&other_key, &other_value});
        LineStep step = step_on_line(fresh.communicator(rank), group, steps, out, in, messages);
        co_await all_of(std::move(step.arriving));
        co_await all_of(std::move(step.leaving));
        expect_all(other_key, in.empty() ? -1 : 10. + static_cast<double>(from));
        expect_all(other_value, in.empty() ? -1 : static_cast<double>(from));
      });
      for (index rank = 0; rank < size; ++rank) {
        const bool last = rank == (steps > 0 ? size - 1 : 0);
        EXPECT_EQ(fresh.sent(rank), last ? Traffic() : (Traffic{messages == Messages::together ? 1 : 2, 12}));
      }
    }
}

TEST_P(Collectives, AllToAllMovesPartsToTheirMembers) {
  // Rank r has a part of length(r) + to for each member, and sends it in two pieces, the first element apart.
  const auto count = [](index from, index to) { return length(from) + to; };
  world.run([&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    std::vector<Tensor> mine, theirs;
    for (index place = 0; place < size; ++place) {
      mine.push_back(row(count(rank, place), static_cast<double>(10 * rank + place)));
      theirs.push_back(row(count(place, rank)));
    }
    const auto in_pieces = [](const View& all) {
      const index length = all.extents()[3], first = std::min<index>(length, 1);
      return std::vector<View>{{all.data(), all.dtype(), {1, 1, 1, first}, all.strides()},
                               {all.data() + 4 * first, all.dtype(), {1, 1, 1, length - first}, all.strides()}};
    };
    std::vector<std::vector<View>> in;
    for (Tensor& tensor : theirs) in.push_back(in_pieces(tensor.view()));
    std::vector<std::vector<ConstView>> out;
    for (Tensor& tensor : mine) {
      const std::vector<View> pieces = in_pieces(tensor.view());
      out.emplace_back(pieces.begin(), pieces.end());
    }
    co_await all_of(all_to_all(world.communicator(rank), group, out, in));
    for (index place = 0; place < size; ++place)
      expect_all(theirs[static_cast<std::size_t>(place)], static_cast<double>(10 * place + rank));
  });
  for (index rank = 0; rank < size; ++rank) {
    Traffic expected{size - 1, 0};
    for (index to = 0; to < size; ++to) expected.bytes += to == rank ? 0 : 4 * count(rank, to);
    EXPECT_EQ(world.sent(rank), expected);
  }
}

TEST_P(Collectives, AllGatherGivesEverybodyEveryPart) {
  world.run([&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    std::vector<Tensor> all =
        parts(size, [&](index place) { return place == rank ? 5. + static_cast<double>(rank) : 0; });
    co_await all_gather(world.communicator(rank), group, views(all));
    for (index place = 0; place < size; ++place)
      expect_all(all[static_cast<std::size_t>(place)], 5. + static_cast<double>(place));
  });
  // Every part passes but the next member's own.
  for (index rank = 0; rank < size; ++rank)
    EXPECT_EQ(world.sent(rank), (Traffic{size - 1, 4 * (all_lengths(size) - length(beside(rank, 1, size)))}));
}

TEST_P(Collectives, ReduceScatterSumsEachPartForItsMember) {
  world.run([&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    const auto mine = [&](index of, index place) { return static_cast<double>(1 + of * 7 + place * 100); };
    std::vector<Tensor> part = parts(size, [&](index place) { return mine(rank, place); });
    std::vector<Tensor> incoming = parts(size, [](index) { return 0; });
    co_await reduce_scatter(world.communicator(rank), group, views(part), views(incoming));
    double sum = 0;
    for (index of = 0; of < size; ++of) sum += mine(of, rank);
    expect_all(part[static_cast<std::size_t>(rank)], sum);
  });
  // Every part is sent on but one's own.
  for (index rank = 0; rank < size; ++rank)
    EXPECT_EQ(world.sent(rank), (Traffic{size - 1, 4 * (all_lengths(size) - length(rank))}));
}

TEST_P(Collectives, ReduceScatterSumsFromTheMemberAfterIt) {
  // 1 at the member after place 0, 2^-24 elsewhere: in this order, each of them is rounded away.
  world.run([&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    std::vector<Tensor> part, incoming;
    for (index place = 0; place < size; ++place) {
      part.push_back(row(1, rank == beside(place, 1, size) ? 1 : 0x1p-24));
      incoming.push_back(row(1));
    }
    co_await reduce_scatter(world.communicator(rank), group, views(part), views(incoming));
    EXPECT_EQ(first(part[static_cast<std::size_t>(rank)]), 1);
  });
}

TEST_P(Collectives, AllReduceSumsInTheOrderOfTheMembers) {
  world.run([&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    // The first two are lost unless they are added before the third; those behind it always.
    const auto mine = [](index of) { return of == 2 ? 1 : of < 2 ? 0x1p-24F : 0x1p-25F; };
    float sum = mine(0);
    for (index of = 1; of < size; ++of) sum += mine(of);
    Tensor values = row(3, mine(rank));
    std::vector<Tensor> room;
    for (index place = 0; place < size; ++place) room.push_back(row(3));
    co_await all_reduce(world.communicator(rank), group, values.view(), views(room));
    expect_all(values, sum);
    for (index i = 0; i < 3; ++i) values.view().set(0, 0, 0, i, static_cast<double>(rank + 1));
    co_await all_reduce(world.communicator(rank), group, values.view(), views(room));
    expect_all(values, static_cast<double>(size * (size + 1) / 2));
  });
  for (index rank = 0; rank < size; ++rank) EXPECT_EQ(world.sent(rank), (Traffic{2 * (size - 1), 2 * 12 * (size - 1)}));
}

TEST_P(Collectives, BroadcastGoesFromNeighbourToNeighbour) {
  const index root = size / 2;
  world.run([&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    Tensor values = row(4, rank == root ? 3 : 0, "bf16");
    co_await broadcast(world.communicator(rank), group, root, values.view());
    expect_all(values, 3);
  });
  for (index rank = 0; rank < size; ++rank)
    EXPECT_EQ(world.sent(rank), beside(rank, 1, size) == root ? Traffic() : (Traffic{1, 8}));
}

TEST_P(Collectives, NobodyLeavesABarrierBeforeEverybodyHasCome) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    World fresh(settings(size, seed));
    index come = 0;
    fresh.run([&](index rank) -> Task<> {
      const Group group = everybody(fresh, rank);
      ++come;
      co_await barrier(fresh.communicator(rank), group);
      EXPECT_EQ(come, size);
    });
    for (index rank = 0; rank < size; ++rank) EXPECT_EQ(fresh.sent(rank), (Traffic{size > 1 ? 2 : 0, 0}));
  }
}

TEST(CollectivesOfAnyView, AreTheSameCodes) {
  // Four-bit codes in rows that do not lie behind each other, to rows that do.
  World world(settings(2));
  world.run([&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    Tensor mine(dtype("e2m1"), Extents{1, 2, 3, 5}, Strides{60, 7, 14, 1}), theirs(dtype("e2m1"), Extents{1, 2, 3, 5});
    const View out_view = mine.view();
    for_each_element(out_view, [&](index b, index h, index r, index c) {
      out_view.set_code(b, h, r, c, static_cast<std::uint64_t>(rank * 8 + (h * 15 + r * 5 + c) % 8));
    });
    const std::vector<ConstView> out = sent({&mine});
    const std::vector<View> in = taken({&theirs});
    co_await all_of(permute(world.communicator(rank), group, 1, out, in));
    for_each_element(theirs.view(), [&](index b, index h, index r, index c) {
      EXPECT_EQ(theirs.view().code(b, h, r, c), static_cast<std::uint64_t>((1 - rank) * 8 + (h * 15 + r * 5 + c) % 8));
    });
    EXPECT_TRUE(theirs.guards_intact() && mine.guards_intact());
  });
  EXPECT_EQ(world.sent(0), (Traffic{1, 15}));
}

TEST(CollectivesOfUnequalParts, AreAMistakeOfTheProgram) {
  World world(settings(2));
  EXPECT_THROW(world.run([&](index rank) -> Task<> {
    const Group group = everybody(world, rank);
    std::vector<Tensor> part = parts(2, [](index) { return 1; }), incoming = parts(2, [](index) { return 1; });
    incoming[1] = row(2);
    co_await reduce_scatter(world.communicator(rank), group, views(part), views(incoming));
  }),
               KernelFault);
}

}  // namespace
}  // namespace attestone

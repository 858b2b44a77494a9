// SPDX-License-Identifier: Apache-2.0
// What ranks send and hold: the test vectors of an independent simulation; and every run is held to the closed forms.
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/random_problem.hpp"
#include "tests/simulate/random_mesh.hpp"

namespace attestone {
namespace {

/// Messages, bytes, and the peak of all buffers.
struct Triple {
  index messages, bytes, peak;

  bool operator==(const Triple&) const = default;
};
/// By rank.
using Costs = std::vector<Triple>;

/// bf16, two sequences, dim 16, what blocks answer in the output format.
struct Vector {
  const char *name, *program, *mesh, *heads;
  index tokens;
  Costs forward, backward;
};

Costs all(index ranks, Triple one) { return Costs(static_cast<std::size_t>(ranks), one); }

const Vector vectors[] = {
    {"0", "ring:parts=output", "ring:1", "8/4", 12, {{0, 0, 19200}}, {{0, 0, 32256}}},
    {"0, Ulysses", "ulysses", "ulysses:1", "8/4", 12, {{0, 0, 19200}}, {{0, 0, 32256}}},
    {"1", "ring:parts=output", "ring:4", "8/4", 48, all(4, {6, 18432, 38400}), all(4, {14, 67584, 75264})},
    {"1a, form B", "ring:parts=output:hops=all", "ring:4", "8/4", 48, all(4, {8, 24576, 38400}),
     all(4, {16, 73728, 75264})},
    {"1, form A", "ring:merge=rescaled_sums", "ring:4", "8/4", 48, all(4, {6, 18432, 46080}),
     all(4, {14, 67584, 75264})},
    {"1a", "ring:hops=all:merge=rescaled_sums", "ring:4", "8/4", 48, all(4, {8, 24576, 46080}),
     all(4, {16, 73728, 75264})},
    {"1, all shards first", "ring:hops=first:parts=output", "ring:4", "8/4", 48, all(4, {6, 18432, 50688}),
     all(4, {14, 67584, 81408})},
    {"1c", "ring:parts=output", "ring:2", "8/4", 24, all(2, {2, 6144, 38400}), all(2, {6, 30720, 69120})},
    {"3", "ulysses", "ulysses:4", "8/4", 48, all(4, {12, 13824, 24576}), all(4, {12, 13824, 32256})},
    {"4", "two_dimensional:parts=output", "ulysses:2+ring:3", "8/4", 72, all(6, {8, 21504, 38400}),
     all(6, {14, 58368, 75264})},
    {"5", "all_gather:gradients=output", "ring:4", "8/4", 48, all(4, {6, 18432, 37632}), all(4, {12, 36864, 69120})},
    {"5, dK and dV of 4 bytes", "all_gather", "ring:4", "8/4", 48, all(4, {6, 18432, 37632}),
     all(4, {12, 55296, 93696})},
    {"5a", "all_gather:chunks=4:gradients=output", "ring:4", "8/4", 48, all(4, {24, 18432, 31488}),
     all(4, {48, 36864, 50688})},
    {"6", "double_ring:parts=output", "inner:3+outer:2", "8/4", 72, all(6, {10, 30720, 50688}),
     all(6, {26, 129024, 87552})},
    {"6a", "double_ring:parts=output", "inner:2+outer:3", "8/4", 72, all(6, {10, 30720, 44544}),
     all(6, {28, 141312, 81408})},
    {"7", "token_ring:parts=output", "ring:4", "8/4", 48, all(4, {9, 39168, 52224}), all(4, {15, 78336, 107520})},
    {"7, N=3", "token_ring:parts=output", "ring:3", "8/4", 36, all(3, {6, 26112, 46080}), all(3, {10, 52224, 93696})},
    {"7, N=2", "token_ring:parts=output", "ring:2", "8/4", 24, all(2, {3, 13056, 38400}), all(2, {5, 26112, 82944})},
    {"1e", "ring_bidirectional:parts=output", "ring:4", "8/4", 48, all(4, {12, 18432, 38400}),
     all(4, {28, 67584, 69120})},
    {"3, in two chunks", "ulysses:chunks=2", "ulysses:2", "8/4", 24, all(2, {8, 9216, 21888}),
     all(2, {4, 9216, 32256})},
    {"4, in two chunks", "two_dimensional:parts=output:chunks=2", "ulysses:2+ring:3", "8/4", 72,
     all(6, {16, 21504, 31488}), all(6, {14, 58368, 75264})},
    {"2",
     "open_line:parts=output",
     "ring:5",
     "8/4",
     60,
     {{2, 6144, 38400}, {12, 36864, 44544}, {12, 36864, 50688}, {12, 36864, 44544}, {2, 6144, 38400}},
     {{10, 55296, 62976}, {20, 86016, 105984}, {20, 86016, 112128}, {20, 86016, 105984}, {10, 55296, 62976}}},
    {"2b",
     "open_line:parts=output:sums=reflecting",
     "ring:5",
     "8/4",
     60,
     {{2, 6144, 38400}, {12, 36864, 44544}, {12, 36864, 50688}, {12, 36864, 44544}, {2, 6144, 38400}},
     {{16, 73728, 75264}, {24, 98304, 87552}, {24, 98304, 124416}, {24, 98304, 87552}, {16, 73728, 75264}}},
};

Costs costs_of(const Vector& vector, RankCosts (RankProgram::*costs)(const CostedRank&) const) {
  const Problem problem = parse_problem(fmt::format("shape=2x{0}x{1}x{1}x16 dtype=bf16", vector.heads, vector.tokens));
  const auto program = make_rank_program(vector.program);
  const Mesh mesh = mesh_of(vector.mesh);
  const MeshShards shards(problem, mesh, *program);
  Costs all;
  for (index rank = 0; rank < shards.ranks(); ++rank) {
    const RankCosts one = (program.get()->*costs)(shards.costed(problem, rank, *make_kernel("flash")));
    all.push_back({one.messages, one.bytes, one.peak.bytes});
  }
  return all;
}

TEST(RankCosts, AreThoseOfTheIndependentSimulation) {
  for (const Vector& vector : vectors) {
    EXPECT_EQ(costs_of(vector, &RankProgram::forward_costs), vector.forward) << vector.name;
    EXPECT_EQ(costs_of(vector, &RankProgram::backward_costs), vector.backward) << vector.name;
  }
}

TEST(RankCosts, OfALineAsPublishedAreThoseOfTheIndependentSimulation) {
  const Vector published{"2a", "ring:hops=to_both_ends:parts=output", "ring:5", "8/4", 60, {}, {}};
  const Triple end{10, 30720, 56832}, inside{20, 61440, 56832};
  EXPECT_EQ(costs_of(published, &RankProgram::forward_costs), (Costs{end, inside, inside, inside, end}));
}

TEST(RankCosts, OfUnequalShardsAreThoseOfTheIndependentSimulation) {
  const Vector ragged{"1d", "ring:parts=output", "ring:4", "8/4", 50, {}, {}};
  const Costs forward = costs_of(ragged, &RankProgram::forward_costs);
  const Costs backward = costs_of(ragged, &RankProgram::backward_costs);
  const index sent[] = {18944, 19456, 19456, 18944}, sent_back[] = {70144, 70656, 70656, 70144};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(forward[rank].bytes, sent[rank]);
    EXPECT_EQ(forward[rank].messages, 6);
    EXPECT_EQ(backward[rank].bytes, sent_back[rank]);
    EXPECT_EQ(backward[rank].messages, 14);
  }
}

TEST(RankCosts, OfUnevenHeadsAreThoseOfTheIndependentSimulation) {
  const Vector uneven{"3a", "ulysses:heads=uneven", "ulysses:4", "7/7", 48, {}, {}};
  const Triple most{12, 16128, 34560}, most_back{12, 17664, 44544};
  EXPECT_EQ(costs_of(uneven, &RankProgram::forward_costs), (Costs{most, most, most, {12, 16128, 25344}}));
  EXPECT_EQ(costs_of(uneven, &RankProgram::backward_costs),
            (Costs{most_back, most_back, most_back, {12, 11520, 25344}}));
  const Vector product{"4b", "two_dimensional:heads=uneven:parts=output", "ulysses:2+ring:2", "7/7", 48, {}, {}};
  const Triple first{6, 22272, 50688}, second{6, 20736, 38016};
  EXPECT_EQ(costs_of(product, &RankProgram::forward_costs), (Costs{first, second, first, second}));
  const Triple first_back{10, 72960, 112128}, second_back{10, 56064, 84096};
  EXPECT_EQ(costs_of(product, &RankProgram::backward_costs), (Costs{first_back, second_back, first_back, second_back}));
}

/// Their dK and dV travel in the output format, in two bytes.
const Vector of_copies[] = {
    {"3b", "ulysses:kv=copied:copied_gradients=output", "ulysses:4", "8/2", 48, all(4, {12, 13824, 21504}),
     all(4, {12, 13824, 32256})},
    {"3c", "ulysses:kv=copied:copied_gradients=output", "ulysses:3", "6/2", 36, all(3, {8, 12288, 21504}),
     all(3, {8, 12288, 33408})},
    {"4a", "two_dimensional:kv=copied:copied_gradients=output:parts=output", "ulysses:4+ring:2", "8/2", 96,
     all(8, {14, 19968, 38400}), all(8, {18, 44544, 69120})},
};

TEST(RankCosts, OfCopiedHeadsAreThoseOfTheIndependentSimulation) {
  for (const Vector& vector : of_copies) {
    EXPECT_EQ(costs_of(vector, &RankProgram::forward_costs), vector.forward) << vector.name;
    EXPECT_EQ(costs_of(vector, &RankProgram::backward_costs), vector.backward) << vector.name;
  }
}

/// A rank that sends or holds anything else is a fault of the mesh kernel.
TEST(RankCosts, HoldForRandomProblems) {
  constexpr std::string_view formats[] = {"f32", "f16", "bf16"};
  index run = 0;
  for (unsigned seed = 0; run < effort(100, 1000, 5000); ++seed) {
    std::mt19937_64 random(seed);
    Problem problem = random_problem(random, formats);
    problem.mask = seed % 2 == 0 ? Mask() : problem.mask;
    problem.backward = true;
    const MethodOnMesh method = random_method(random);
    const auto kernel = on_mesh(method.program, method.mesh);
    if (!kernel->takes(problem)) continue;
    ++run;
    RandomCall call(problem);
    try {
      EXPECT_EQ(call.run(*kernel) <= kernel->forward_bytes(problem), true);
      EXPECT_EQ(call.run_backward(*kernel) <= kernel->backward_bytes(problem), true);
    } catch (const KernelFault& fault) {
      ADD_FAILURE() << fault.what() << "\n--kernel=" << method.program << " --mesh=" << method.mesh << " '"
                    << problem.text() << "'";
    }
  }
}

}  // namespace
}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Whole methods in any order of events: the same bits. With the same seed: the same events, of any compiler.
#include <gtest/gtest.h>
#include <set>

#include "tests/effort.hpp"
#include "tests/simulate/mesh_in_a_world.hpp"
#include "tests/simulate/method_on_meshes.hpp"

namespace attestone {
namespace {

using Digests = std::pair<std::uint64_t, std::uint64_t>;

/// The digests of both passes under one order of events, the codes of all results, and the reasons.
struct BothPasses {
  Digests digests;
  std::vector<std::uint64_t> codes;
  std::string reason;
};

BothPasses both_passes(const MethodOnMesh& method, RandomCall& call, std::uint64_t seed, const char* local) {
  const MeshInAWorld mesh(method.program, method.mesh, call, local);
  const PassInAWorld forward = mesh.pass(false, seed), backward = mesh.pass(passes_of(method).back(), seed);
  return {{forward.digest, backward.digest}, backward.codes, forward.reason + " " + backward.reason};
}

TEST(ManyInterleavings, GiveTheSameBits) {
  const auto seeds = static_cast<std::uint64_t>(effort(fewer_if_sanitized(20), 1000));
  for (const MethodOnMesh& method : methods_on_meshes()) {
    RandomCall call(carried_by(method, "mask=causal score=alibi dropout=0.1 dtype=bf16"));
    const BothPasses first = both_passes(method, call, 0, "flash");
    ASSERT_EQ(first.reason, "none none") << method.program;
    std::set<std::uint64_t> forward, backward;
    index different = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const BothPasses other = both_passes(method, call, seed, "flash");
      different += other.codes != first.codes;
      forward.insert(other.digests.first), backward.insert(other.digests.second);
      ASSERT_EQ(other.codes, first.codes) << "--kernel='" << method.program << "' --mesh=" << method.mesh
                                          << " --world-seed=" << seed << " '" << call.problem.text() << "'";
    }
    EXPECT_GE(forward.size(), seeds * 9 / 10) << method.program;
    EXPECT_GE(backward.size(), seeds * 9 / 10) << method.program;
    fmt::print("{:<58}{:<26}{:>5} orders, {:>4} and {:>4} of them different: {} other bits\n", method.program,
               method.mesh, seeds, forward.size(), backward.size(), different);
  }
}

TEST(ManyInterleavings, OfOneSeedAreTheSameEvents) {
  for (const MethodOnMesh& method : methods_on_meshes()) {
    RandomCall call(carried_by(method, "mask=causal"));
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(effort(2, 5)); ++seed) {
      const auto once = both_passes(method, call, seed, "flash"), again = both_passes(method, call, seed, "flash");
      EXPECT_EQ(once.digests, again.digests) << method.program;
    }
  }
}

/// Inputs in quarters, which no library of another machine rounds otherwise.
void fill_with_quarters(RandomCall& call) {
  std::mt19937_64 random(1);
  for (Tensor* tensor : call.input_tensors())
    for_each_element(tensor->view(), [&](index b, index h, index r, index c) {
      tensor->view().set(b, h, r, c, static_cast<double>(random() % 17) / 4 - 2);
    });
}

struct Known {
  MethodOnMesh method;
  const char* fields;
  std::uint64_t seed;
  Digests digests;
};

const Known known[] = {
    {{"ring", "ring:4"}, "", 1, {13582041937181860207u, 9544218491018995137u}},
    {{"ring", "ring:4"}, "", 2, {10604890848175370068u, 7054655158299893886u}},
    {{"ring:placement=zigzag:messages=fused", "ring:3+batch:2"},
     "mask=causal dtype=bf16",
     1,
     {4453482351499855739u, 16778003928415356823u}},
    {{"ring:placement=striped:gradients=output", "ring:5"},
     "mask=window:4:0 dtype=f16",
     1,
     {2590854545361762983u, 12050866049494379155u}},
    {{"ring:payload=int8", "ring:4"}, "mask=causal dtype=bf16", 1, {4950260380610957327u, 7163058994297110054u}},
    {{"ulysses", "ulysses:4"}, "", 1, {11034946805022692348u, 4707348246103992221u}},
    {{"ulysses:kv=copied", "ulysses:8"},
     "mask=document:3 dtype=bf16",
     1,
     {4277556037159176699u, 10206397773804460927u}},
    {{"two_dimensional", "ulysses:2+ring:3"}, "mask=causal", 1, {14742882440113860031u, 12709509111644449064u}},
    {{"two_dimensional", "ring:3+ulysses:2"}, "mask=causal", 1, {9435331491983101499u, 9763507703535291922u}},
    {{"two_dimensional:chunks=2", "ulysses:2+ring:2"}, "mask=causal", 1, {1125038957470896220u, 7918167447248946378u}},
    {{"all_gather:placement=zigzag", "ring:4"},
     "mask=causal dtype=bf16",
     1,
     {7563206840270122396u, 4590846229667611148u}},
    {{"double_ring", "inner:2+outer:2"}, "mask=causal", 1, {16093494692572244461u, 13265726402871748477u}},
    {{"token_ring", "ring:4"}, "mask=causal", 1, {1652446042045190431u, 15606300861029399170u}},
    {{"split_keys", "ring:4"}, "mask=causal dtype=f16", 1, {16120863146707659262u, 17797684493786074987u}},
    {{"ring_bidirectional", "ring:4"}, "mask=causal", 1, {4882746444482883965u, 906934019693493330u}},
    {{"open_line", "ring:4"}, "mask=causal", 1, {17910466175121556050u, 11736456461461024993u}},
    {{"open_line:sums=reflecting:messages=fused", "ring:5"},
     "mask=window:4:0 dtype=bf16",
     1,
     {12100704402852968781u, 6359627400192868897u}},
};

/// g++ and clang are held to the same constants.
TEST(ManyInterleavings, AreTheSameWithAnyCompiler) {
  for (const Known& one : known) {
    RandomCall call(carried_by(one.method, one.fields));
    fill_with_quarters(call);
    const BothPasses passes = both_passes(one.method, call, one.seed, "dense");
    EXPECT_EQ(passes.reason, "none none") << one.method.program;
    EXPECT_EQ(passes.digests, one.digests)
        << fmt::format("{} {} seed {}: {{{}u, {}u}}", one.method.program, one.method.mesh, one.seed,
                       passes.digests.first, passes.digests.second);
  }
}

}  // namespace
}  // namespace attestone

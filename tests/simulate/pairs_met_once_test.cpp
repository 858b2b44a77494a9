// SPDX-License-Identifier: Apache-2.0
// On any mesh every visible pair of a query and a key is met exactly once in each pass, and no other.
// slow: every method on every mesh
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/simulate/all_meshes.hpp"
#include "tests/simulate/counted_pairs.hpp"
#include "tests/simulate/random_mesh.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

constexpr index most_devices = 12;

/// Heads that a method with its settings can deal to so many places; one kv head more where they may be uneven, and
/// several for each place where they are cut into chunks.
Problem carried_by(const std::string& program, index ulysses, const std::string& fields) {
  const bool uneven = program.find("uneven") != std::string::npos, copied = program.find("copied") != std::string::npos;
  const index each = program.find("chunks") != std::string::npos ? 3 : 1;
  const index kv_heads = copied ? 2 * each : each * ulysses + uneven, heads = copied ? kv_heads * ulysses : kv_heads;
  return parse_problem(
      fmt::format("shape=2x{}/{}x11x13x4 dropout=0.1 pass=forward+backward {}", heads, kv_heads, fields));
}

/// How many pairs of the problem were met another number of times than they should.
index wrongly_met(const Problem& problem, PairCounts& counts) {
  const VisiblePairs visible(problem);
  const Shape& shape = problem.shape;
  index wrong = 0;
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head)
      for (index query = 0; query < shape.queries; ++query)
        for (index key = 0; key < shape.keys; ++key) {
          const Pair at{batch, head, query, key};
          wrong += counts.of(at) != (visible(at) ? 1 : 0);
        }
  return wrong;
}

class PairsMet : public testing::TestWithParam<std::string> {};

TEST_P(PairsMet, ExactlyOnceOnEveryMesh) {
  const std::string method = GetParam();
  const std::vector<std::string> fields{"mask=full", "mask=causal", "mask=window:4:1", "mask=document:3",
                                        "mask=causal lengths=13+4 query_lengths=9+2"};
  index number = 0, ran = 0;
  for (const GridMesh& mesh : all_meshes(method, most_devices))
    for (const std::string& variant : variants_with_gradients(method))
      for (const std::string& some : fields) {
        if (++number % effort(17, 1) != 0) continue;
        const std::string program = method + variant;
        RandomCall call(carried_by(program, mesh.ulysses, some));
        PairCounts forward(call.problem.shape), backward(call.problem.shape);
        const auto local = std::make_shared<CountsPairs>(make_kernel("flash"), forward, backward);
        const MeshKernel kernel(make_rank_program(program), local, mesh_of(mesh.text));
        const std::string line =
            fmt::format("attestone run --kernel='{}' --mesh={} '{}'", program, mesh.text, call.problem.text());
        ASSERT_TRUE(kernel.takes(call.problem)) << kernel.takes(call.problem).why << "\n" << line;
        call.run(kernel);
        call.run_backward(kernel);
        EXPECT_EQ(wrongly_met(call.problem, forward), 0) << line;
        EXPECT_EQ(wrongly_met(call.problem, backward), 0) << line;
        ++ran;
      }
  fmt::print("{}: {} meshes with settings and masks\n", method, ran);
  EXPECT_GT(ran, effort(40, 100));
}

INSTANTIATE_TEST_SUITE_P(Methods, PairsMet, testing::ValuesIn(all_methods()), by_parameter);

}  // namespace
}  // namespace attestone

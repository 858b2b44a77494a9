// SPDX-License-Identifier: Apache-2.0
// The steps from which mutants of meshes are made are those of the published methods, to the bit and the byte.
#include "mutants/hosts/mesh_steps.hpp"

#include <array>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/random_call.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

struct Passes {
  index forward = 0, backward = 0;  ///< bytes
  std::vector<std::uint64_t> codes;

  bool operator==(const Passes&) const = default;
};

Passes passes(const Kernel& kernel, const Problem& problem) {
  RandomCall call(problem);
  Passes all;
  all.forward = call.run(kernel);
  if (problem.backward) all.backward = call.run_backward(kernel);
  all.codes = call.codes();
  return all;
}

TEST(MeshSteps, AreThoseOfThePublishedMethods) {
  constexpr std::array<std::string_view, 4> formats{"f32", "bf16", "f16", "f64"};  // the last without gradients
  std::mt19937_64 random(1);
  for (const OnMesh& right :
       {ring_of_one, ring_of_two, ring_of_three, zigzag_of_two, fused_ring_of_two, ulysses_of_two,
        uneven_ulysses_of_two, copying_ulysses_of_four, two_by_two,
        OnMesh{"two_dimensional:placement=striped:hops=all", "ulysses:2+ring:3"},
        OnMesh{"two_dimensional:kv=copied:copied_gradients=output:gradients=output", "ulysses:4+ring:2"}}) {
    const SharedKernel twin = mesh_twin(right), steps = mesh_mutant<MeshSteps>("steps", right);
    index compared = 0;
    for (index n = 0; n < effort(60, 3000); ++n) {
      const Problem problem = n % 3 == 0 ? random_problem(random, formats)
                                         : random_problem_with_gradients(random, std::span(formats).first<3>());
      if (!twin->takes(problem)) continue;
      ASSERT_EQ(passes(*steps, problem), passes(*twin, problem)) << twin->name() << " " << problem.text();
      ++compared;
    }
    EXPECT_GE(compared, effort(5, 100)) << twin->name();
  }
}

}  // namespace
}  // namespace attestone

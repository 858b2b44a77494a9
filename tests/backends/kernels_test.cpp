// SPDX-License-Identifier: Apache-2.0
// Every published kernel against the ladder, on every feature that it does not refuse.
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <omp.h>

#include "backends/catalogue.hpp"
#include "tests/against_ladder.hpp"
#include "tests/effort.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 3> formats{"f32", "bf16", "f16"};
const std::vector<std::string> kernels{"dense",
                                       "flash",
                                       "flash:block_q=1:block_kv=1",
                                       "flash:block_q=3:block_kv=8:block_kv_compute=4",
                                       "flash:block_q=16:block_kv=16",
                                       "flash:block_q=7:block_kv=33:block_kv_compute=11"};

TEST(Kernels, AgreeWithTheLadder) {
  std::mt19937_64 random(1);
  std::map<std::string, double> worst;
  for (index n = 0; n < effort(400, 20000); ++n) {
    RandomCall call(random_problem(random, formats));
    for (const std::string& name : kernels) {
      const AnyKernel kernel = make_kernel(name);
      ASSERT_EQ(kernel.name, name);
      if (!kernel.supports(call.problem)) continue;
      ASSERT_EQ(call.run(kernel), kernel.workspace_bytes(call.problem)) << name << " " << call.problem.text();
      const double here = worst_ratio(call, kernel.numerics(call.problem));
      ASSERT_LE(here, 1) << name << " " << call.problem.text();
      ASSERT_TRUE(call.outputs.out.guards_intact() && call.outputs.log_sum_exp.guards_intact());
      worst[name] = std::max(worst[name], here);
    }
  }
  for (const auto& [name, share] : worst) std::cout << "  worst error / tolerance " << share << "  " << name << "\n";
}

TEST(Kernels, GiveTheSameBitsOnAnyNumberOfThreads) {
  const int threads_before = omp_get_max_threads();
  for (const char* text : {"shape=2x4/2x100x130x32 mask=causal&window:50:0 lengths=130+99", "shape=1x3x64x200x16:80",
                           "shape=1x8/2x33x257x40 mask=causal score=softcap:5&alibi dtype=bf16"}) {
    RandomCall call(parse_problem(text));
    for (const std::string& name : kernels) {
      const AnyKernel kernel = make_kernel(name);
      std::vector<std::vector<std::uint64_t>> answers;
      for (const int threads : {1, 2, 5}) {
        omp_set_num_threads(threads);
        EXPECT_EQ(call.run(kernel), kernel.workspace_bytes(call.problem)) << threads << " threads";
        answers.push_back(call.codes());
      }
      EXPECT_EQ(answers[0], answers[1]) << name << " " << text;
      EXPECT_EQ(answers[0], answers[2]) << name << " " << text;
    }
  }
  omp_set_num_threads(threads_before);
}

/// The elements that a query sees nothing of may hold anything: NaN in one key and value reaches exactly the queries
/// that see it.
TEST(Kernels, KeepHiddenValuesHidden) {
  std::mt19937_64 random(3);
  for (index n = 0; n < effort(100, 2000); ++n) {
    Problem problem = random_problem(random, formats);
    problem.layout = "bhsd";  // one tensor element is one address
    if (problem.shape.keys == 0) continue;
    RandomCall call(problem);
    const auto poisoned = static_cast<index>(random() % static_cast<std::uint64_t>(problem.shape.keys));
    RandomCall dirty(problem);
    for (Tensor* tensor : {&dirty.inputs.key, &dirty.inputs.value})
      for_each_element(tensor->view().extents(), [&](index b, index h, index key, index c) {
        if (key == poisoned) tensor->view().set(b, h, key, c, std::numeric_limits<double>::quiet_NaN());
      });
    for (const std::string& name : kernels) {
      if (!make_kernel(name).supports(problem)) continue;
      call.run(make_kernel(name));
      dirty.run(make_kernel(name));
      for_each_row(problem.shape, [&](index b, index h, index i) {
        const double clean = call.outputs.out.view().value(b, h, i, 0),
                     got = dirty.outputs.out.view().value(b, h, i, 0);
        if (problem.visible({b, h, i, poisoned}))
          EXPECT_TRUE(std::isnan(got)) << name << " " << problem.text();
        else
          EXPECT_EQ(got, clean) << name << " " << problem.text();
      });
    }
  }
}

TEST(Kernels, RefuseWithAReason) {
  for (const char* text : {"shape=1x1x2x2x2 pass=forward+backward", "shape=1x1x2x2x2 dropout=0.5",
                           "shape=1x1x2x2x2 dtype=f64", "shape=1x1x2x2x2 dtype=e4m3>f32"})
    for (const std::string& name : kernels) {
      const Support support = make_kernel(name).supports(parse_problem(text));
      EXPECT_FALSE(support) << name << " " << text;
      EXPECT_FALSE(support.why.empty());
    }
}

}  // namespace
}  // namespace attestone

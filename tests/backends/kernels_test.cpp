// SPDX-License-Identifier: Apache-2.0
// Every published kernel against the rules, forward and backward, on every feature of the language.
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <omp.h>

#include "backends/catalogue.hpp"
#include "tests/backends/backend_call.hpp"
#include "tests/backends/definition.hpp"
#include "tests/backends/random_full_problem.hpp"
#include "tests/effort.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 3> formats{"f32", "bf16", "f16"};
const std::vector<std::string> kernels{
    "dense",
    "chunked",
    "chunked:query_chunk_size=5:key_chunk_size=7",
    "chunked:query_chunk_size=1:key_chunk_size=16",
    "flash",
    "flash:deterministic=0",
    "flash:block_q=1:block_kv=1",
    "flash:block_q=3:block_kv=8:block_kv_compute=4",
    "flash:block_q=16:block_kv=16:deterministic=0",
    "flash:block_q=7:block_kv=33:block_kv_compute=11:block_kv_dkv=6:block_kv_dkv_compute=3",
    "flash:fused_backward=0",
    "flash:block_q=8:block_kv=16:fused_backward=0:block_q_dkv=4:block_kv_dkv=9:block_kv_dkv_compute=3:block_q_dq=5:"
    "block_kv_"
    "dq=7",
    "flash:flash_min_seq_length=10"};

constexpr std::array<std::string_view, 7> names{"out",    "log_sum_exp",    "dquery", "dkey",
                                                "dvalue", "dbias or dsink", "dsink"};

/// The worst error of any result in units of its bound; infinite for a NaN.
double worst_share(BackendCall& call, const DefinedAttention& want, std::map<std::string_view, double>& worst) {
  const std::vector<Tensor*> got = call.results();
  const std::vector<const DefinedTensor*> exact = want.results();
  double all = 0;
  for (std::size_t which = 0; which < got.size(); ++which) {
    std::size_t next = 0;
    for_each_element(got[which]->view().extents(), [&](index b, index h, index r, index c) {
      const double is = got[which]->view().value(b, h, r, c), should = exact[which]->value[next];
      const double error = is == should ? 0 : std::abs(is - should) / exact[which]->bound[next];
      const double share = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
      worst[names[which]] = std::max(worst[names[which]], share);
      all = std::max(all, share);
      ++next;
    });
  }
  return all;
}

TEST(Kernels, AgreeWithTheRules) {
  std::mt19937_64 random(1);
  std::map<std::string, std::map<std::string_view, double>> worst;
  for (index n = 0; n < effort(150, 5000); ++n) {
    BackendCall call(random_full_problem(random, formats));
    for (const std::string& name : kernels) {
      const AnyKernel kernel = make_kernel(name);
      ASSERT_EQ(kernel.name, name);
      if (!kernel.supports(call.problem)) continue;
      ASSERT_EQ(call.run(kernel), kernel.workspace_bytes(call.problem)) << name << " " << call.problem.text();
      ASSERT_EQ(call.run_backward(kernel), kernel.backward_workspace_bytes(call.problem))
          << name << " " << call.problem.text();
      const DefinedAttention want = attention_by_rules(call.problem, call.inputs, kernel.numerics(call.problem));
      ASSERT_LE(worst_share(call, want, worst[name]), 1) << name << " " << call.problem.text();
      for (const Tensor* tensor : call.results()) ASSERT_TRUE(tensor->guards_intact());
    }
  }
  for (const auto& [name, shares] : worst) {
    std::cout << "  " << name << ":";
    for (const auto& [tensor, share] : shares) std::cout << "  " << tensor << " " << share;
    std::cout << "\n";
  }
}

}  // namespace
}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Naming them.
#include "conformance/rival_rules/correct_kernels.hpp"

#include <algorithm>

#include "backends/catalogue.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {

std::vector<SharedKernel> twins() {
  std::vector<SharedKernel> all;
  const auto add = [&](SharedKernel twin) {
    const bool known =
        std::ranges::any_of(all, [&](const SharedKernel& kernel) { return kernel->name() == twin->name(); });
    if (!known && !Registry<KernelEntry>::find(twin->name())) all.push_back(std::move(twin));
  };
  for (const auto& [name, mutant] : Registry<Mutant>::all()) add(mutant.twin());
  for (const auto& [name, twin] : Registry<Twin>::all()) add(twin.kernel());
  return all;
}

std::vector<SharedKernel> correct_kernels() {
  std::vector<SharedKernel> all = twins();
  for (const char* name : {"dense",
                           "chunked",
                           "chunked:query_chunk_size=7:key_chunk_size=13",
                           "chunked:query_chunk_size=64:key_chunk_size=32",
                           "flash",
                           "flash:block_q=16:block_kv=16:block_kv_dkv=16",
                           "flash:block_q=32:block_kv=64:block_kv_compute=16:block_kv_dkv=32",
                           "flash:block_q=64:block_kv=32:block_kv_dkv=64",
                           "flash:fused_backward=0",
                           "flash:fused_backward=0:block_q_dq=32:block_kv_dq=16",
                           "flash:deterministic=0",
                           "flash:fused_backward=0:block_q_dkv=16:block_kv_dkv=32",
                           "flash:flash_min_seq_length=64",
                           "flash:maximum=fixed",
                           "flash:products=floats",
                           "flash:block_q=16:block_kv=48:products=dots",
                           "flash:products=tiles",
                           "flash:block_q=16:block_kv=16:products=tiles",
                           "split",
                           "split:splits=7:block_kv=16",
                           "split:splits=3:merge=sigmoid",
                           "split:merge=late_correction",
                           "split:merge=shared_maximum",
                           "decode",
                           "decode:rows=3:block_kv=16:part_keys=24"})
    all.push_back(make_kernel(name));
  return all;
}

}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// The published kernels with the settings under which tests run them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace attestone {

/// The formats that the published kernels take.
constexpr std::array<std::string_view, 3> kernel_formats{"f32", "bf16", "f16"};

/// Every kernel and form whose bits repeat; small and odd blocks, so that remainders are everywhere.
inline std::vector<std::string> repeatable_kernels() {
  return {
      "dense",
      "chunked",
      "chunked:query_chunk_size=5:key_chunk_size=7",
      "chunked:query_chunk_size=1:key_chunk_size=16",
      "flash",
      "flash:block_q=1:block_kv=1:block_kv_dkv=1",
      "flash:block_q=3:block_kv=8:block_kv_compute=4:block_kv_dkv=8",
      "flash:block_q=7:block_kv=33:block_kv_compute=11:block_kv_dkv=6:block_kv_dkv_compute=3",
      "flash:fused_backward=0",
      "flash:block_q=8:block_kv=16:fused_backward=0:block_q_dkv=4:block_kv_dkv=9:block_kv_dkv_compute=3:block_q_dq=5"
      ":block_kv_dq=7",
      "flash:flash_min_seq_length=10",
      "flash:maximum=fixed",
      "flash:block_q=7:block_kv=33:block_kv_compute=11:maximum=fixed",
      "flash:products=floats",
      "flash:products=dots",
      "flash:block_q=7:block_kv=33:block_kv_compute=11:products=dots",
      "flash:products=tiles",
      "flash:block_q=7:block_kv=33:block_kv_compute=11:products=tiles",
      "split",
      "split:splits=3:merge=sigmoid:block_q=5:block_kv=7",
      "split:splits=5:merge=late_correction:block_kv=4",
      "split:splits=2:merge=shared_maximum",
      "decode",
      "decode:rows=1:block_kv=3:part_keys=5",
      "decode:rows=5:block_kv=16:part_keys=33"};
}

/// The repeatable kernels whose bits do not depend on hidden keys. A fixed maximum does depend on them: it bounds the
/// scores of all keys.
inline std::vector<std::string> kernels_that_see_nothing_hidden() {
  std::vector<std::string> all = repeatable_kernels();
  std::erase_if(all, [](const std::string& name) { return name.find("maximum=fixed") != std::string::npos; });
  return all;
}

/// The repeatable kernels, and the forms that add up dQ in the order of arrival.
inline std::vector<std::string> published_kernels() {
  std::vector<std::string> all = repeatable_kernels();
  all.insert(all.end(), {"flash:deterministic=0", "flash:block_q=16:block_kv=16:deterministic=0:block_kv_dkv=16"});
  return all;
}

}  // namespace attestone

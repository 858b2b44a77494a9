// SPDX-License-Identifier: Apache-2.0
// The grids themselves. Their decodes read more than the last cache of usual machines holds.
#include "conformance/bench/grids.hpp"

namespace attestone::inline conformance {

const std::vector<Grid>& grids() {
  static const std::vector<Grid> all{
      {"quick",
       "a glance: forward, backward, window, bf16 and decode at up to 1024 tokens",
       {"shape=1x8x512x512x64,1x8x1024x1024x64 mask=full,causal", "shape=1x8x1024x1024x64 mask=window:128:0",
        "shape=1x8x1024x1024x64 dtype=bf16", "shape=1x8x512x512x64 mask=causal pass=forward+backward",
        "shape=1x8x1x131072x64"}},
      {"full",
       "forward: 512 to 4096 tokens, 64 and 128 channels, full and causal",
       {"shape=1x8x512x512x64,1x8x1024x1024x64,1x8x2048x2048x64,1x8x4096x4096x64,1x8x512x512x128,"
        "1x8x1024x1024x128,1x8x2048x2048x128,1x8x4096x4096x128 mask=full,causal"}},
      {"backward",
       "the same, backward, up to 2048 tokens",
       {"shape=1x8x512x512x64,1x8x1024x1024x64,1x8x2048x2048x64,1x8x512x512x128,1x8x1024x1024x128,"
        "1x8x2048x2048x128 mask=full,causal pass=forward+backward"}},
      {"bf16",
       "forward in f32 and bf16, 128 channels, 2048 and 4096 tokens",
       {"shape=1x8x2048x2048x128,1x8x4096x4096x128 dtype=f32,bf16"}},
      {"window",
       "forward with windows of 128 to 1024 keys, 4096 tokens",
       {"shape=1x8x4096x4096x64,1x8x4096x4096x128 mask=window:127:0,window:511:0,window:1023:0"}},
      {"decode",
       "one query against up to 262144 keys, with one, four and eight query heads for each kv head",
       {"shape=1x8x1x32768x128,1x8x1x65536x128,1x8x1x131072x128,1x8x1x262144x64,1x32/8x1x131072x128,"
        "1x64/8x1x131072x128,1x32/8x1x262144x64"}},
  };
  return all;
}

}  // namespace attestone::inline conformance

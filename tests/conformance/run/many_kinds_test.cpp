// SPDX-License-Identifier: Apache-2.0
// What a user types first: a problem of each of 200 kinds, one run each. flash is right, and each run must say so.
// slow: judges many problems
#include <gtest/gtest.h>
#include <set>

#include "conformance/problems/suite.hpp"
#include "conformance/run/kernels.hpp"
#include "conformance/run/run.hpp"

namespace attestone {
namespace {

/// Lines of a suite; each problem is of a kind of its own.
constexpr const char* kinds = R"(
# the findings of those who came first: no power of two anywhere, one of everything, one key, one row
shape=1x2x33x40x16,1x2x5x9x8,1x8x100x100x64,1x2x24x24x16,1x1x1x7x8,1x1x1x1x1,1x1x1x1x10:1,1x1x7x1x3,3x1x1x5x1
# every mask, alone and combined
shape=1x2x21x34x12 mask=causal,causal:top_left,window:4:0,window:0:4,window:-1:2,window:3:-1,window:0:0,document:2,document:5,prefix:7,dense:30,dense:90,block:4,block:16,needle:4,dilated:2,dilated:5
shape=2x2x19x23x8 mask=~causal,~window:2:2,causal&window:8:0,causal|prefix:3,causal&document:3,~(causal&dense:50),(causal|window:2:2)&block:4,causal:top_left&dilated:2,~dense:20&causal,prefix:4|needle:3
# every score term, alone and combined
shape=1x4/2x18x27x16 score=softcap:30,softcap:1,alibi,relative_position:0.1,bias:full,bias:head,bias:batch,bias:pair,bias:key,sink:head
shape=2x6/3x13x22x20 score=softcap:5&alibi,softcap:5&bias:full,alibi&sink:head,bias:key&sink:head,softcap:2&bias:pair&sink:head,softcap:9&relative_position:0.3&sink:head mask=causal,full
# formats of the inputs and of the output
shape=1x2x17x29x24 dtype=bf16,f16,f32>bf16,bf16>f32,f16>f32,f32>f16,bf16>f16,f16>bf16 mask=full,causal
# layouts
shape=2x4/2x15x26x16 layout=bshd,strided,broadcast,ragged dtype=f32,bf16
shape=2x3x20x20x16 layout=packed_qkv mask=full,causal dtype=f32,f16
# lengths
shape=3x2x16x24x8 lengths=24+1+7,0+24+3,0+0+0,1+1+1 layout=bhsd,ragged
shape=3x2x16x24x8 lengths=24+9+7 query_lengths=16+1+5,0+16+2 mask=full,causal layout=bhsd,ragged
# scales and dropout
shape=1x2x14x31x16 scale=1,0.001,10,-0.25
shape=1x2x14x31x16 dropout=0.01,0.1,0.5,0.9
# every fill of drawn inputs
shape=1x2x16x40x16 fill=uniform,sinks,monotone,outliers,large_logits,one_hot,ties,near_ties,tail_mass,low_rank,wide,small_integers,subnormal,nonfinite,channel_offset,few_valued,small_gradients
shape=1x2x16x40x16 fill=outliers,large_logits,ties,subnormal,nonfinite dtype=bf16
# gradients
shape=1x2x17x23x12 pass=forward+backward mask=full,causal,window:5:0,document:3 dtype=f32,bf16
shape=2x4/2x11x19x8:12 pass=forward+backward score=softcap:4,bias:full,bias:key,sink:head,alibi
shape=2x4/2x11x19x8 pass=forward+backward dropout=0.3 layout=bshd,ragged,broadcast
shape=1x1x1x1x1,1x1x1x9x4,1x3/1x9x1x4,2x2/1x6x11x3:7 pass=forward+backward
# nothing to see
shape=1x1x8x0x8,1x1x0x8x8,1x1x0x0x8,2x4/2x8x0x8:3 pass=forward,forward+backward
# odd shapes: decoding, many heads, one kv head, wide and narrow channels, tiles and one more
shape=1x8/1x1x65x32,1x12/4x1x129x16,4x16x3x5x4,1x1x9x33x192,1x1x5x12x256,1x2x7x13x1,1x2x9x15x64:1,1x2x9x15x1:64,1x1x63x64x32,1x1x64x65x32,1x1x65x63x32
shape=1x1x128x128x64 mask=full,causal dtype=f32,bf16
shape=1x1x40x8x16,1x1x8x40x16 mask=causal,causal:top_left
# several at once
shape=1x4/2x23x37x24 mask=causal,window:9:0,document:4 dtype=bf16,f16 score=softcap:20,sink:head
shape=1x3x10x21x8 mask=dense:40 score=bias:full,bias:head,alibi pass=forward,forward+backward
shape=2x6/2x9x14x32 layout=bshd,strided,broadcast mask=causal dtype=f16 pass=forward,forward+backward
shape=1x2x30x30x16 mask=causal:top_left&window:5:5 seed=7,99
)";

TEST(ManyKinds, OfProblemsConformOneByOneSlow) {
  std::set<std::string> met;
  for (const Problem& problem : parse_suite(kinds, "kinds")) {
    const KernelRun run = examine(find_kernel("flash"), {.problems = {problem}, .explain = false});
    const std::string line = "attestone run --kernel=flash '" + problem.text() + "'";
    EXPECT_TRUE(met.insert(problem.text()).second) << line << " is met twice";
    EXPECT_TRUE(run.refusals.empty() && run.decided()) << line;
    for (const Failure& failure : run.failures)
      ADD_FAILURE() << line << "\n" << failure.verdict.reason << ": " << failure.verdict.evidence;
  }
  EXPECT_GE(met.size(), 200u);
}

}  // namespace
}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Gradients that are a little too long when they are stored: everywhere, in a block of rows, or in one channel.
#include "mutants/hosts/stored.hpp"

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registrations<Mutant> registered{
    {.name = "bias_gradient_a_little_long",
     .summary = "dBias is multiplied by 1.001 before it is stored",
     .property = "gradient_gain",
     .reason = "wrong-gain",
     .problem = "shape=640x2x4x24x8 score=bias:full dtype=f16 pass=forward+backward",
     .kernel = [] { return a_thousandth_long("bias_gradient_a_little_long", TensorName::dbias); },
     .twin = tiled_twin},
    {.name = "key_gradient_a_little_long",
     .summary = "dK is multiplied by 1.001 before it is stored",
     .property = "gradient_gain",
     .reason = "wrong-gain",
     .problem = "shape=1280x2x4x24x8 dtype=f16 pass=forward+backward",
     .kernel = [] { return a_thousandth_long("key_gradient_a_little_long", TensorName::dkey); },
     .twin = tiled_twin},
    {.name = "query_gradient_a_thousandth_long",
     .summary = "dQ is multiplied by 1.001 before it is stored",
     .property = "gradient_gain",
     .reason = "wrong-gain",
     .problem = "shape=1280x2x4x24x8 dtype=f16 pass=forward+backward",
     .kernel = [] { return a_thousandth_long("query_gradient_a_thousandth_long", TensorName::dquery); },
     .twin = tiled_twin},
    {.name = "query_gradient_of_a_block_a_little_long",
     .summary = "dQ of queries 64 to 127 is multiplied by 1.001 before it is stored",
     .property = "gradient_gain",
     .reason = "wrong-gain",
     .problem = "shape=32x4x128x24x8 dtype=f16 pass=forward+backward",
     .kernel =
         [] {
           return a_thousandth_long("query_gradient_of_a_block_a_little_long", TensorName::dquery,
                                    [](const Extents& at) { return at[2] / 64 == 1; });
         },
     .twin = tiled_twin},
    {.name = "sink_gradient_a_little_long",
     .summary = "dSink is multiplied by 1.001 before it is stored",
     .property = "gradient_gain",
     .reason = "wrong-gain",
     .problem = "shape=1x4096x4x16x4 score=sink:head dtype=f16 pass=forward+backward",
     .kernel = [] { return a_thousandth_long("sink_gradient_a_little_long", TensorName::dsink); },
     .twin = tiled_twin},
    {.name = "value_gradient_a_little_long",
     .summary = "dV is multiplied by 1.001 before it is stored",
     .property = "gradient_gain",
     .reason = "wrong-gain",
     .problem = "shape=1280x2x4x24x8 dtype=bf16 pass=forward+backward",
     .kernel = [] { return a_thousandth_long("value_gradient_a_little_long", TensorName::dvalue); },
     .twin = tiled_twin},
    {.name = "value_gradient_of_a_channel_a_little_long",
     .summary = "channel 5 of dV is multiplied by 1.001 before it is stored",
     .property = "gradient_gain",
     .reason = "wrong-gain",
     .problem = "shape=1280x2x4x24x8 dtype=f16 pass=forward+backward",
     .kernel =
         [] {
           return a_thousandth_long("value_gradient_of_a_channel_a_little_long", TensorName::dvalue,
                                    [](const Extents& at) { return at[3] == 5; });
         },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants

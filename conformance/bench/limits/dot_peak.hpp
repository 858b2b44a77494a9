// SPDX-License-Identifier: Apache-2.0
// The machine's limits for short formats: dots of bf16 pairs and of int8 quads, where the processor has them.
#pragma once

namespace attestone::inline conformance {

/// True if the processor has vdpbf16ps on 512 bits, and vpdpbusd on 512 bits.
bool has_bf16_dot();
bool has_int8_dot();

/// Operations per second (a multiplication and an addition are two) of a loop of independent dots that add up in f32,
/// or in int32; one burst of about `seconds`. 0 where the processor does not have them.
double peak_bf16_flops(int threads, double seconds = 0.01);
double peak_int8_operations(int threads, double seconds = 0.01);

}  // namespace attestone::inline conformance

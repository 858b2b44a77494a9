// SPDX-License-Identifier: Apache-2.0
// The machine's limit for products of whole tiles of bf16, where the processor has a unit for them (AMX).
#pragma once

namespace attestone::inline conformance {

/// Operations per second (a multiplication and an addition are two) of a loop of independent products of 16 x 32 and
/// 32 x 16 elements that add up in f32; one burst of about `seconds`. 0 where the processor does not have them.
double peak_bf16_tile_flops(int threads, double seconds = 0.01);

}  // namespace attestone::inline conformance

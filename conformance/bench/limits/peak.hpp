// SPDX-License-Identifier: Apache-2.0
// The machine's peak rates, measured afresh: multiply-adds. Results elsewhere are shares of it.
#pragma once

namespace attestone::inline conformance {

/// Floating-point operations per second of a loop of independent vector multiply-adds (two operations each) on
/// `threads` threads; one burst of about `seconds`. Callers take several bursts, interleaved with what they compare.
double peak_f32_flops(int threads, double seconds = 0.01);
double peak_f64_flops(int threads, double seconds = 0.01);

}  // namespace attestone::inline conformance

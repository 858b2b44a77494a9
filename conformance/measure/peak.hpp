// SPDX-License-Identifier: Apache-2.0
// What this machine can do at most, measured afresh: multiply-adds and reads. Results elsewhere are shares of it.
#pragma once

#include <cstddef>

namespace attestone {

/// Floating-point operations per second of a loop of independent vector multiply-adds (two operations each) on
/// `threads` threads; one burst of about `seconds`. Callers take several bursts, interleaved with what they compare.
double peak_f32_flops(int threads, double seconds = 0.01);
double peak_f64_flops(int threads, double seconds = 0.01);

/// Bytes per second that `threads` threads read, each its own array of `bytes_per_thread`, again and again: choose a
/// size to measure a cache, or one beyond the caches for the memory.
double peak_read_bytes(int threads, std::size_t bytes_per_thread, double seconds = 0.02);

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Exponentials a second: the limit of a softmax.
#pragma once

namespace attestone::inline conformance {

/// Exponentials of floats a second, by range reduction and a polynomial of degree 6 (relative error below 1e-6), of and
/// into an array that stays in the first cache.
double peak_exponentials(int threads, double seconds = 0.01);

}  // namespace attestone::inline conformance

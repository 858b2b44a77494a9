// SPDX-License-Identifier: Apache-2.0
// The comparisons of tensors of which acceptance rules are made, with the NaN and infinities of their originals.
#pragma once

#include <cstddef>
#include <vector>

namespace attestone::inline conformance {

/// (a - b).abs().max() of PyTorch: NaN if any difference is, and infinity - infinity is one. 0 of nothing.
double largest_distance(const std::vector<double>& a, const std::vector<double>& b);

/// (a - b).abs().mean() of PyTorch; NaN as above. 0 of nothing.
double mean_distance(const std::vector<double>& a, const std::vector<double>& b);

/// Tolerances of all_close: |got - expected| <= absolute + relative |expected|.
struct Closeness {
  double absolute = 0, relative = 0;
  bool equal_nan = false;  ///< whether NaN is close to NaN
};

/// How many elements are not close, by what all_close says of one.
std::size_t count_apart(const std::vector<double>& got, const std::vector<double>& expected, const Closeness&);

/// True if every element is close; infinities are close if they are equal. torch.allclose, torch.testing.assert_close
/// and numpy.testing.assert_allclose agree on this.
bool all_close(const std::vector<double>& got, const std::vector<double>& expected, const Closeness&);

}  // namespace attestone::inline conformance

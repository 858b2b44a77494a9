// SPDX-License-Identifier: Apache-2.0
// What codes cost on captured activations: the error of a kernel's method, its bound, and what the kernel adds.
#pragma once

#include <functional>
#include <string>

#include "backends/kernel.hpp"

namespace attestone {

/// Sums over all elements of all layers.
struct Sums {
  double count = 0, truth_size = 0, truth_squares = 0, coded_squares = 0, product = 0;
  double method_size = 0, method_squares = 0, method_bound = 0, kernel_squares = 0, kernel_bound = 0;
  double beyond = 0;  ///< elements whose method error exceeds its bound

  void operator+=(const Sums& more) {
    count += more.count, truth_size += more.truth_size, truth_squares += more.truth_squares;
    coded_squares += more.coded_squares, product += more.product, method_size += more.method_size;
    method_squares += more.method_squares, method_bound += more.method_bound;
    kernel_squares += more.kernel_squares, kernel_bound += more.kernel_bound, beyond += more.beyond;
  }
  double cosine() const;
  double relative_l1() const { return method_size / truth_size; }
  /// The root of the mean of what has this sum of squares.
  double root_mean(double squares) const;
};

/// The sums of a kernel's answer to a forward problem of one sequence.
Sums measured(const Kernel&, const Problem&);

/// All layers of a capture, as problems of one shape.
class Layers {
 public:
  /// A file that captures/method_errors.py wrote, with this many layers; `shape` as in "1x12x178x178x32".
  Layers(std::string file, int layers, std::string shape);

  int count() const { return layers_; }
  Problem problem(int layer) const;

 private:
  std::string file_, digest_, shape_;
  int layers_;
};

/// The sums over all layers, each with its own kernel. Throws std::runtime_error where a bound is exceeded.
Sums measured(const Layers&, const std::function<std::string(int layer)>& kernel);

}  // namespace attestone

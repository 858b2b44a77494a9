// SPDX-License-Identifier: Apache-2.0
// Inputs of gradients that are written by formulas, and how much of a bound one element uses up.
#pragma once

#include <string>

#include "reference/certified/backward/gradient_truth.hpp"
#include "tests/reference/certified/backward/gradient_oracle.hpp"
#include "tests/reference/certified/forward/adversarial_fills.hpp"

namespace attestone {

/// A problem in f64; biases and sinks are 0 until they are set.
struct Scene {
  Problem problem;
  Inputs inputs;

  template <class Query, class Key, class Value, class Dout>
  Scene(const std::string& text, Query query, Key key, Value value, Dout dout)
      : problem(parse_problem(text + " dtype=f64 pass=forward+backward")), inputs(problem) {
    set_all(inputs.query, query), set_all(inputs.key, key), set_all(inputs.value, value), set_all(*inputs.dout, dout);
    for (auto* tensor : {&inputs.bias, &inputs.sink})
      if (*tensor) set_all(**tensor, [](index, index) { return 0; });
  }
};

/// error / bound of one element, both of batch and head 0; fails if that is above 1.
double attained(const Certified& found, const OracleTensor& exact, index row, index channel);

}  // namespace attestone

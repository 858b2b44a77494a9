// SPDX-License-Identifier: Apache-2.0
// The problem behind the examples of the ladder's steps: a call that is small enough to follow with a pencil.
#pragma once

#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "reference/call/tensors.hpp"

namespace attestone {

/// Matches x as closely as a dozen operations on doubles can, each off by a few units of 2^-53 of its operands' size.
inline doctest::Approx about(double x) { return doctest::Approx(x).epsilon(0x1p-48); }

/// Rows of numbers.
using Numbers = std::vector<std::vector<double>>;

/// Writes the rows of one head.
inline void write(const View& view, const Numbers& numbers, index batch = 0) {
  for (index row = 0; row < std::ssize(numbers); ++row)
    for (index channel = 0; channel < view.extents()[3]; ++channel)
      view.set(batch, 0, row, channel, numbers[static_cast<std::size_t>(row)][static_cast<std::size_t>(channel)]);
}

/// One head in double, with scale 1: the score of a pair is q.k.
struct WorkedExample {
  /// `query` [queries, dim], `key` [keys, dim], `value` [keys, value_dim]; `words` are further fields of the problem.
  WorkedExample(const Numbers& query, const Numbers& key, const Numbers& value, const std::string& words = {})
      : problem(parse_problem("shape=1x1x" + std::to_string(query.size()) + 'x' + std::to_string(key.size()) + 'x' +
                              std::to_string(query[0].size()) + ':' + std::to_string(value[0].size()) +
                              " scale=1 dtype=f64 " + words)),
        inputs(problem) {
    write(inputs.query.view(), query);
    write(inputs.key.view(), key);
    write(inputs.value.view(), value);
  }

  Problem problem;
  Inputs inputs;
};

}  // namespace attestone

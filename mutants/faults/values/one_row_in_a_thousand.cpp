// SPDX-License-Identifier: Apache-2.0
// Mutant: a fault that the numbers of a row decide about, in one row of about a thousand.
#include <cstring>

#include "mutants/hosts/stored.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// Of the bits of the row's query, by multiplication with a prime near 2^64 / golden ratio.
bool is_struck(const StoredElement& element) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;
  constexpr int kept_bits = 10;
  std::uint64_t hash = 0;
  for (index c = 0; c < element.problem.shape.dim; ++c) {
    const double q = element.inputs.query.value(element.at[0], element.at[1], element.at[2], c);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &q, sizeof bits);
    hash = (hash ^ bits) * factor;
    hash ^= hash >> 32;
  }
  return hash >> (64 - kept_bits) == 0;
}

double stored(const StoredElement& element) {
  return element.tensor == TensorName::out && is_struck(element) ? 0.9 * element.value : element.value;
}

const Registration<Mutant> registered{{
    .name = "one_row_in_a_thousand",
    .summary = "O of one row in 1024, which its query decides about, is a tenth too short",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2560x1x4x24x4",
    .kernel = [] { return storing_kernel("one_row_in_a_thousand", stored); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants

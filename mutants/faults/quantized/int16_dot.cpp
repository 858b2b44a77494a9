// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by threads: shows with many channels of large codes.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : ThreadInt8 {
  static std::int32_t dot(const std::int8_t* q, const std::int8_t* k, index dim) {
    std::uint16_t sum = 0;
    for (index c = 0; c < dim; ++c) sum = static_cast<std::uint16_t>(sum + q[c] * k[c]);
    return static_cast<std::int16_t>(sum);
  }
};

const Registration<Mutant> registered{{
    .name = "int16_dot",
    .summary = "products of codes are added up in 16 bits, which wrap",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x4x16 dtype=f16",
    .kernel = [] { return kernel<Launch<Fault>>("int16_dot"); },
    .twin = right_thread_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch

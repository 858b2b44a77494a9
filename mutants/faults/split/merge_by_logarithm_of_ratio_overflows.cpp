// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows with scores that rise by more than 88 from part to part.
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/hosts/fourth_batch/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stream {
  using Stream::Stream;

  void merge(Partial& into, const Partial& part, Int r) const override {
    if (into.sum[at(r)] == 0 || part.sum[at(r)] == 0) return Stream::merge(into, part, r);
    const float x = into.maximum[at(r)] + std::log(into.sum[at(r)]);
    const float y = part.maximum[at(r)] + std::log(part.sum[at(r)]);
    const float all = x + std::log(1.0f + std::exp(y - x));
    const float f = std::exp(into.maximum[at(r)] - all), g = std::exp(part.maximum[at(r)] - all);
    for (Int c = 0; c < value_dim; ++c)
      into.acc[at(r * value_dim + c)] = into.acc[at(r * value_dim + c)] * f + part.acc[at(r * value_dim + c)] * g;
    into.maximum[at(r)] = all;
    into.sum[at(r)] = 1.0f;
  }
};

const Registration<Mutant> registered{{
    .name = "merge_by_logarithm_of_ratio_overflows",
    .summary = "parts are merged as lse + log(1 + exp(part - lse)), which is infinite where a part lies more "
               "than 88 above what came before",
    .source = "jzhang38/EasyContext #14",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x4x512x16 scale=60",
    .kernel = [] { return kernel<Fault, Stored>("merge_by_logarithm_of_ratio_overflows"); },
    .twin = right_stream_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch

// SPDX-License-Identifier: Apache-2.0
// Refusals, and their reasons.
#include "backends/cpu/parts/row_by_row.hpp"

#include "backends/square.hpp"

namespace attestone::inline backends {

Support taken_row_by_row(const Problem& problem, Sequences sequences) {
  const Shape& shape = problem.shape;
  if (!problem.score.terms().empty())
    return Support::refused("knows neither biases nor softcaps nor sinks: " + problem.score.text());
  if (problem.input.name != "f16" && problem.input.name != "bf16")
    return Support::refused("works on f16 and bf16, not on " + std::string(problem.input.name));
  if (!problem.formats.empty()) return Support::refused("takes Q, K and V in one format, without scales");
  if (!(problem.output == problem.input)) return Support::refused("writes O in the format of Q");
  const bool causal = problem.mask.text() == "causal" && is_square(problem);
  if (!problem.mask.is_full() && !causal)
    return Support::refused("knows no mask but causal ones of as many queries as keys");
  if (problem.dropout > 0) return Support::refused("has no dropout");
  if (sequences == Sequences::full && (!problem.lengths.empty() || !problem.query_lengths.empty()))
    return Support::refused("takes full sequences only");
  if (problem.left_padded) return Support::refused("takes sequences that begin at the first row");
  if (!(problem.scale() > 0)) return Support::refused("takes scales above 0");
  if (shape.dim > 128) return Support::refused("takes heads of up to 128 channels");
  if (shape.value_dim != shape.dim) return Support::refused("takes V as wide as K");
  return {};
}

}  // namespace attestone::inline backends

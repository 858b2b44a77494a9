// SPDX-License-Identifier: Apache-2.0
// Asking a kernel that is known to be right.
#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/run/conclusions.hpp"

namespace attestone::inline conformance {

bool decidable(const Property& property, const Kernel& kernel, const Problem& problem) {
  // Plainly f32 in every step, so that it is within every default class; it is held to that of the problem's formats.
  // With the merges and codes that the kernel declares, which may leave less that is exact; and what is told only of
  // kernels that follow the rules, where this one has conventions of its own, is not told.
  const auto merging = [&](const Problem& p) {
    const Numerics declared = kernel.numerics(p);
    const MergeStage& merge = declared.merge;
    Numerics numerics = default_numerics(p.input, p.output);
    numerics.merge.form = merge.form, numerics.merge.parts = merge.parts, numerics.merge.depth = merge.depth;
    numerics.score.query_codes = declared.score.query_codes, numerics.score.key_codes = declared.score.key_codes;
    numerics.value.codes = declared.value.codes;
    return numerics;
  };
  const SharedKernel right = changed(make_kernel("dense"), {.numerics = merging, .conventions = kernel.conventions()});
  return examine_case(*right, property, problem).outcome == Outcome::passed;
}

}  // namespace attestone::inline conformance

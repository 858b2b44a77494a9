// SPDX-License-Identifier: Apache-2.0
// What merges in one format declare.
#include "tests/conformance/meshes/right_programs/right_program.hpp"

#include "reference/numerics/declared_class.hpp"

namespace attestone {

Numerics merged_in(const DType& format, const Problem& problem, index parts, Numerics local) {
  const double u = format.unit_roundoff();
  local.merge.parts = parts;
  local.merge.out = local.output.cast;
  local.merge.accumulator = {.roundoff = u, .largest = format.largest(), .underflow = format.smallest_normal()};
  local.merge.exp_error = local.merge.log_error = 4 * u;
  local.merge.log_sum_exp_roundoff = dtype("f32").unit_roundoff();
  local.output.cast = gradual_cast(problem.output);
  return local;
}

Numerics merged_by_sigmoid(const DType& format, const Problem& problem, const Mesh& mesh, Numerics local) {
  const index places = mesh.devices("ring");
  if (places == 1) return local;
  local = merged_in(format, problem, places, std::move(local));
  local.merge.form = MergeForm::sigmoid;
  return local;
}

}  // namespace attestone

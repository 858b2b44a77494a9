// SPDX-License-Identifier: Apache-2.0
// The backend tests of ONNX: stored vectors and one tolerance.
#include "conformance/rival_rules/rules/distance.hpp"
#include "conformance/rival_rules/rules/judge.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// numpy.testing.assert_allclose: |x - r| <= 1e-7 + 1e-3 |r| for every element, NaN and infinities at the same places.
/// The stored vectors are computed by NumPy in the format; in f32 they are the golden answer but for its last bits.
bool accepts(const Exhibit& exhibit) {
  return all_close(exhibit.got, exhibit.rounded, {.absolute = 1e-7, .relative = 1e-3, .equal_nan = true});
}

const Registration<Judge> registered{{
    .name = "onnx",
    .rule = "|x - fl(g)| <= 1e-7 + 1e-3 |fl(g)| for every element of O",
    .source = "onnx/onnx, onnx/backend/test/case/node/attention.py and runner/__init__.py",
    .looks_at = {TensorName::out},
    .usual = "shape=2x3x4x6x8 mask=full,causal:top_left fill=uniform\n"
             "shape=2x3x4x6x8:10 mask=full,causal:top_left score=softcap:2 fill=uniform\n"
             "shape=2x9/3x4x6x8 mask=full,causal:top_left fill=uniform\n"
             "shape=2x3x4x6x8 scale=0.01 fill=uniform\n"
             "shape=2x3x4x6x8 score=bias:full fill=uniform\n"
             "shape=2x3x4x6x8 dtype=f16 fill=uniform",
    .scaled = "nothing: its extents, uniform in [0, 1), as there",
    .accepts = accepts,
}};

}  // namespace
}  // namespace attestone::inline conformance

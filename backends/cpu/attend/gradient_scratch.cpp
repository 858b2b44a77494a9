// SPDX-License-Identifier: Apache-2.0
// The memory of the backward pass, counted once for both who takes it and who documents it.
#include "backends/cpu/attend/gradients.hpp"

namespace attestone::inline backends {
namespace {

constexpr index padded(index channels) { return panels_of(channels) * panel_queries; }

}  // namespace

struct GradientScratch::Counts {
  Counts(const Problem& problem, index most_keys)
      : keys(std::min(most_keys, problem.shape.keys)),
        dim(problem.shape.dim),
        value_dim(problem.shape.value_dim),
        dim_width(padded(dim)),
        value_width(padded(value_dim)),
        slopes(problem.score.softcap() ? keys * panel_queries : 0),
        biases(problem.score.bias_tensor() ? 2 * keys * panel_queries : 0),
        rows(std::max(panel_queries * std::max(dim_width, value_width), keys * dim)) {}

  index keys, dim, value_dim, dim_width, value_width, slopes, biases, rows;
};

GradientScratch::GradientScratch(Device& device, const Problem& problem, index most_keys)
    : GradientScratch(device, Counts(problem, most_keys)) {}

GradientScratch::GradientScratch(Device& device, const Counts& c)
    : dim_width(c.dim_width),
      value_width(c.value_width),
      Q{},
      dO{},
      QT(device, panel_queries * c.dim, "queries, transposed"),
      dOT(device, panel_queries * c.value_dim, "dout, transposed"),
      Q_copy(device, panel_queries * dim_width, "queries"),
      dO_copy(device, panel_queries * value_width, "dout"),
      L(device, panel_queries, "log_sum_exp"),
      delta(device, panel_queries, "delta"),
      K(device, c.keys * c.dim, "keys"),
      V(device, c.keys * c.value_dim, "values"),
      S(device, c.keys * panel_queries, "scores"),
      dP(device, c.keys * panel_queries, "dP"),
      slopes(device, c.slopes, "slopes"),
      seen(device, c.keys, "visible pairs"),
      biases(device, c.biases, "biases"),
      dQT(device, panel_queries * c.dim, "dquery"),
      dK(device, c.keys * dim_width, "dkey"),
      dV(device, c.keys * value_width, "dvalue"),
      rows(device, c.rows, "rows") {}

index GradientScratch::bytes(const Problem& problem, index most_keys) {
  const Counts c(problem, most_keys);
  const index by_query = c.dim_width + 2 * c.dim + c.value_width + c.value_dim + 3;  // L takes two floats
  const index by_key = c.dim + c.value_dim + 2 * panel_queries + 1 + c.dim_width + c.value_width;
  const index floats = panel_queries * by_query + c.keys * by_key + c.slopes + c.biases + c.rows;
  return floats * static_cast<index>(sizeof(float));
}

}  // namespace attestone::inline backends

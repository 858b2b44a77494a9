// SPDX-License-Identifier: Apache-2.0
// Products of floats: neither K nor V is copied if they are floats already.
#include "backends/cpu/attend/attend.hpp"
#include "backends/cpu/simd/products.hpp"
#include "backends/cpu/simd/transpose.hpp"

namespace attestone::inline backends {
namespace {

class FloatProducts final : public TileProducts {
 public:
  FloatProducts(const Problem& problem, const KernelInputs& inputs)
      : problem_(problem), query_(inputs.query), key_(inputs.key), value_(inputs.value) {}

  void load_queries(const AttendedHead& head, Interval queries, index number, AttendScratch& scratch) const override {
    const FloatMatrixRows rows = query_.read(head.batch, head.head, queries, scratch.rows.data());
    rows_to_panel(rows, queries.count(), dim(), scratch.QT.data() + number * dim() * panel_queries);
  }

  void load_keys(const AttendedHead& head, Interval keys, AttendScratch& scratch) const override {
    scratch.passing.K = key_.read(head.batch, head.kv_head, keys, scratch.K.data());
    scratch.passing.V = value_.read(head.batch, head.kv_head, keys, scratch.V.data());
  }

  void score(index panel, Interval keys, float factor, float* largest, AttendScratch& scratch) const override {
    const FloatMatrixRows K = scratch.passing.K.from(keys.first - scratch.passing.keys.first);
    score_keys(K, keys.count(), dim(), scratch.QT.data() + panel * dim() * panel_queries, factor, scratch.S.data(),
               largest, scratch.coming.beside_scores);
  }

  void add_weighted(Interval keys, const SeenPairs* seen, const float* shrink, float* OT,
                    AttendScratch& scratch) const override {
    const FloatMatrixRows V = scratch.passing.V.from(keys.first - scratch.passing.keys.first);
    const index count = keys.count(), channels = problem_.shape.value_dim;
    float* P = scratch.S.data();
    round_weights({P, static_cast<std::size_t>(count * panel_queries)}, problem_.input);
    if (seen)
      add_seen_keys(*seen, V, count, channels, P, shrink, OT, scratch.cleared.data(), scratch.coming.beside_weights);
    else
      add_weighted_rows(V, count, channels, P, shrink, OT, scratch.coming.beside_weights);
  }

 private:
  index dim() const { return problem_.shape.dim; }

  const Problem& problem_;
  FloatRows query_, key_, value_;
};

}  // namespace

std::unique_ptr<const TileProducts> float_products(const Problem& problem, const KernelInputs& inputs) {
  return std::make_unique<FloatProducts>(problem, inputs);
}

std::unique_ptr<const TileProducts> tile_products(const Problem& problem, const KernelInputs& inputs,
                                                  const AttendExtents& extents) {
  return extents.pairs ? pair_products(problem, inputs, *extents.pairs) : float_products(problem, inputs);
}

}  // namespace attestone::inline backends

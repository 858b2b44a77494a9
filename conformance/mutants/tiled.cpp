// SPDX-License-Identifier: Apache-2.0
// The loops of the tiled kernel: for each row, tiles of keys; for each tile, the named steps.
#include "conformance/mutants/tiled.hpp"

#include <cmath>
#include <limits>

#include "backends/cpu/codec.hpp"
#include "backends/cpu/limits.hpp"
#include "backends/cpu/score_row.hpp"

namespace attestone {
namespace {

constexpr index tile = TiledSteps::tile;

/// The scratch memory of the whole kernel.
struct Scratch {
  Scratch(Workspace& memory, const Shape& shape)
      : q(memory, shape.dim),
        K(memory, tile * shape.dim),
        V(memory, tile * shape.value_dim),
        S(memory, tile),
        O(memory, shape.value_dim) {}

  Workspace::Loan<float> q, K, V, S, O;  // [dim], [16][dim], [16][value_dim], [16], [value_dim]
};

/// One row of the answer while its keys go by.
struct Row {
  const Problem& problem;
  const Arguments& arguments;
  const TiledSteps& steps;
  index batch, head, query;
  Sequence sequence;
  const TileMask& mask;
  Scratch& scratch;
  float m = -std::numeric_limits<float>::infinity(), l = 0;

  void attend();
  void load(index first, index keys) const;
  float score(index j, index key) const;
  void take_in(index first, index keys);
  void store() const;
};

void Row::attend() {
  FloatRows(arguments.query).read(batch, head, query, scratch.q.data());
  std::fill(scratch.O.span().begin(), scratch.O.span().end(), 0.0f);
  const index keys = query < sequence.queries ? steps.keys_read(sequence.keys) : 0;
  for (index first = 0; first < keys; first += tile) {
    const index here = std::min(tile, keys - first);
    load(first, here);
    for (index j = 0; j < here; ++j) scratch.S[j] = score(j, first + j);
    take_in(first, here);
  }
}

void Row::load(index first, index keys) const {
  const index kv_head = steps.kv_head(head, problem.shape);
  const FloatRows key(arguments.key), value(arguments.value);
  for (index j = 0; j < keys; ++j) {
    key.read(batch, kv_head, first + j, scratch.K.data() + j * problem.shape.dim);
    value.read(batch, kv_head, first + j, scratch.V.data() + j * problem.shape.value_dim);
  }
}

/// The score of the j-th key of the tile.
float Row::score(index j, index key) const {
  float product = 0;
  for (index c = 0; c < problem.shape.dim; ++c) product += scratch.q[c] * scratch.K[j * problem.shape.dim + c];
  const float scaled = steps.scaled(steps.held(product), static_cast<float>(problem.scale()));
  const std::optional<double> given_cap = problem.score.softcap();
  const std::optional<float> cap = given_cap ? std::optional(static_cast<float>(*given_cap)) : std::nullopt;
  const float s = steps.masked(scaled, cap, steps.visible(mask, query, key));
  if (!problem.score.has("alibi")) return s;
  const index distance = std::abs(sequence.position(query) - key);
  const double slope = own_alibi_slope(head, problem.shape.heads);
  return static_cast<float>(double{s} - slope * static_cast<double>(distance));
}

/// The online softmax: the keys of one tile join m, l and O.
void Row::take_in(index first, index keys) {
  const float m_before = m;
  for (index j = 0; j < keys; ++j) m = scratch.S[j] > m ? scratch.S[j] : m;
  l *= steps.shrink_sum(m_before, m);
  const float shrink = steps.shrink_output(m_before, m);
  for (float& o : scratch.O.span()) o *= shrink;
  for (index j = 0; j < keys; ++j) {
    float p = weight(scratch.S[j], m);
    l += p;
    round_weights({&p, 1}, problem.input);
    const std::span<const float> v(scratch.V.data() + j * problem.shape.value_dim, scratch.O.span().size());
    steps.accumulate(scratch.O.span(), p, v, steps.visible(mask, query, first + j));
  }
}

void Row::store() const {
  const index first_of_tile = query / tile * tile;
  if (query - first_of_tile >= steps.rows_stored(std::min(tile, problem.shape.queries - first_of_tile))) return;
  for (index c = 0; c < problem.shape.value_dim; ++c)
    arguments.out.set(batch, head, query, c, steps.finished(scratch.O[c], l));
  arguments.log_sum_exp.set(batch, head, query, 0, steps.log_sum_exp(m, l));
}

class Tiled {
 public:
  Tiled(std::string name, std::shared_ptr<const TiledSteps> steps) : name_(std::move(name)), steps_(std::move(steps)) {}

  std::string name() const { return name_; }
  Support supports(const Problem& problem) const {
    if (const auto rule = TileMask::unknown_rule(problem.mask))
      return Support::refused("knows masks that are bands of diagonals, not " + *rule);
    return cpu_limits(problem);
  }
  Numerics numerics(const Problem&) const;
  /// 4 bytes * (dim for q, 16 * dim for a tile of K, 16 * value_dim for one of V, 16 scores, value_dim for O).
  index workspace_bytes(const Problem& problem) const {
    const Shape& shape = problem.shape;
    const index floats = shape.dim + tile * shape.dim + tile * shape.value_dim + tile + shape.value_dim;
    return floats * static_cast<index>(sizeof(float));
  }
  void run(const Problem&, Arguments&) const;

 private:
  std::string name_;
  std::shared_ptr<const TiledSteps> steps_;
};

Numerics Tiled::numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem);
  numerics.exp_error = float_exp_error;
  numerics.log_error = dtype("f64").unit_roundoff() * 2;  // log_sum_exp is put together in double
  numerics.weight_underflow += dtype("f32").smallest_subnormal();
  numerics.tile_keys = tile;
  return numerics;
}

void Tiled::run(const Problem& problem, Arguments& arguments) const {
  const Shape& shape = problem.shape;
  Scratch scratch(arguments.workspace, shape);
  for (index batch = 0; batch < shape.batch; ++batch) {
    const Sequence sequence = problem.sequence(batch);
    const TileMask mask = steps_->mask(problem.mask, sequence);
    for (index head = 0; head < shape.heads; ++head)
      for (index query = 0; query < arguments.out.rows(batch); ++query) {
        Row row{problem, arguments, *steps_, batch, head, query, sequence, mask, scratch};
        row.attend();
        row.store();
      }
  }
}

}  // namespace

AnyKernel tiled_kernel(std::string name, std::shared_ptr<const TiledSteps> steps) {
  return AnyKernel(Tiled(std::move(name), std::move(steps)));
}

AnyKernel tiled_twin() { return tiled_mutant<TiledSteps>("tiled"); }

}  // namespace attestone

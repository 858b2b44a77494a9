// SPDX-License-Identifier: Apache-2.0
// The loops of the tiled kernel: for each row, tiles of keys; for each tile, the named steps.
#include "conformance/mutants/tiled.hpp"

#include <cmath>
#include <limits>

#include "backends/cpu/codec.hpp"
#include "backends/cpu/limits.hpp"
#include "backends/cpu/score_row.hpp"
#include "conformance/mutants/fused.hpp"

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
  double bias(const Pair& at) const;
  float score(index j, index key) const;
  void take_in(index first, index keys);
  void take_in_sink(index times);
  void raise(float m_next);
  void store() const;
};

void Row::attend() {
  FloatRows(steps.query(arguments)).read(batch, head, query, scratch.q.data());
  std::fill(scratch.O.span().begin(), scratch.O.span().end(), 0.0f);
  const index keys = query < sequence.queries ? steps.keys_read(sequence.keys) : 0;
  for (index first = 0; first < keys; first += tile) {
    const index here = std::min(tile, keys - first);
    load(first, here);
    for (index j = 0; j < here; ++j) scratch.S[j] = score(j, first + j);
    take_in(first, here);
  }
  if (arguments.sink) take_in_sink(steps.sinks((keys + tile - 1) / tile));
}

void Row::load(index first, index keys) const {
  const index kv_head = steps.kv_head(head, problem.shape);
  const FloatRows key(steps.key(arguments)), value(steps.value(arguments));
  for (index j = 0; j < keys; ++j) {
    const index row = steps.key_row(batch, first + j);
    key.read(batch, kv_head, row, scratch.K.data() + j * problem.shape.dim);
    value.read(batch, kv_head, row, scratch.V.data() + j * problem.shape.value_dim);
  }
}

/// What is added to the score of the pair.
double Row::bias(const Pair& at) const {
  if (arguments.bias) return steps.bias(*arguments.bias, at);
  const ScoreTerm* term = problem.score.term(ScoreRule::Stage::bias);
  if (!term) return 0;
  if (term->rule == "alibi") return steps.alibi(own_alibi_slope(head, problem.shape.heads), sequence, at);
  return static_cast<float>(term->argument) * static_cast<double>(at.key - sequence.position(query));
}

/// The score of the j-th key of the tile.
float Row::score(index j, index key) const {
  float product = 0;
  for (index c = 0; c < problem.shape.dim; ++c) product += scratch.q[c] * scratch.K[j * problem.shape.dim + c];
  const float scaled = steps.scaled(steps.held(product), static_cast<float>(problem.scale()));
  const std::optional<double> given_cap = problem.score.softcap();
  const std::optional<float> cap = given_cap ? std::optional(static_cast<float>(*given_cap)) : std::nullopt;
  return steps.biased(scaled, cap, steps.visible(mask, query, key), bias({batch, head, query, key}));
}

/// The maximum rises to m_next: what was summed so far follows.
void Row::raise(float m_next) {
  l *= steps.shrink_sum(m, m_next);
  const float shrink = steps.shrink_output(m, m_next);
  for (float& o : scratch.O.span()) o *= shrink;
  m = m_next;
}

/// The online softmax: the keys of one tile join m, l and O.
void Row::take_in(index first, index keys) {
  float largest = steps.maximum_before(m);
  for (index j = 0; j < keys; ++j) largest = scratch.S[j] > largest ? scratch.S[j] : largest;
  raise(largest);
  for (index j = 0; j < keys; ++j) {
    const bool kept = problem.dropout == 0 || steps.keeps(problem, {batch, head, query, first + j});
    float p = weight(scratch.S[j], m);
    l += steps.counted(p, kept);
    p = steps.weight_for_values(p, problem.input);
    const std::span<const float> v(scratch.V.data() + j * problem.shape.value_dim, scratch.O.span().size());
    const bool hidden_by_bias = scratch.S[j] == -std::numeric_limits<float>::infinity();
    if (kept) steps.accumulate(scratch.O.span(), p, v, steps.visible(mask, query, first + j) && !hidden_by_bias);
  }
  l += steps.padding(tile - keys, m);
}

/// The sink takes mass like a key, and has no value.
void Row::take_in_sink(index times) {
  const float logit = static_cast<float>(arguments.sink->value(0, head, 0, 0));
  const float s = steps.sink(logit, static_cast<float>(problem.scale()));
  raise(s > m ? s : m);
  l += static_cast<float>(times) * weight(s, m);
}

void Row::store() const {
  const index first_of_tile = query / tile * tile;
  if (query - first_of_tile >= steps.rows_stored(std::min(tile, problem.shape.queries - first_of_tile))) return;
  const float factor = problem.dropout > 0 ? steps.kept_factor(problem.dropout) : 1;
  for (index c = 0; c < problem.shape.value_dim; ++c)
    arguments.out.set(batch, head, query, c, steps.finished(scratch.O[c], l) * factor);
  arguments.log_sum_exp.set(batch, head, query, 0, steps.log_sum_exp(m, l));
}

class Tiled {
 public:
  Tiled(std::string name, std::shared_ptr<const TiledSteps> steps, std::shared_ptr<const FusedSteps> backward_steps)
      : name_(std::move(name)), steps_(std::move(steps)), backward_steps_(std::move(backward_steps)) {}

  std::string name() const { return name_; }
  Support supports(const Problem& problem) const {
    if (const auto rule = TileMask::unknown_rule(problem.mask))
      return Support::refused("knows masks that are bands of diagonals, not " + *rule);
    return format_limits(problem);
  }
  Numerics numerics(const Problem&) const;
  /// 4 bytes * (dim for q, 16 * dim for a tile of K, 16 * value_dim for one of V, 16 scores, value_dim for O).
  index workspace_bytes(const Problem& problem) const {
    const Shape& shape = problem.shape;
    const index floats = shape.dim + tile * shape.dim + tile * shape.value_dim + tile + shape.value_dim;
    return floats * static_cast<index>(sizeof(float));
  }
  void run(const Problem&, Arguments&) const;
  index backward_workspace_bytes(const Problem& problem) const { return fused_backward_bytes(problem); }
  void run_backward(const Problem& problem, BackwardArguments& arguments) const {
    fused_backward(problem, arguments, *backward_steps_);
  }

 private:
  std::string name_;
  std::shared_ptr<const TiledSteps> steps_;
  std::shared_ptr<const FusedSteps> backward_steps_;
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

AnyKernel tiled_kernel(std::string name, std::shared_ptr<const TiledSteps> steps,
                       std::shared_ptr<const FusedSteps> backward_steps) {
  return AnyKernel(Tiled(std::move(name), std::move(steps), std::move(backward_steps)));
}

AnyKernel tiled_kernel(std::string name, std::shared_ptr<const TiledSteps> steps) {
  return tiled_kernel(std::move(name), std::move(steps), std::make_shared<const FusedSteps>());
}

AnyKernel fused_kernel(std::string name, std::shared_ptr<const FusedSteps> steps) {
  return tiled_kernel(std::move(name), std::make_shared<const TiledSteps>(), std::move(steps));
}

AnyKernel tiled_twin() { return tiled_mutant<TiledSteps>("tiled"); }

}  // namespace attestone

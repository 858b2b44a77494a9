// SPDX-License-Identifier: Apache-2.0
// A small tiled flash kernel whose every step has a name, so that a mutant gets just one of them wrong: the forward
// pass. fused.hpp has its backward pass.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "backends/cpu/parts/tile_mask.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline mutants {

/// The steps of the kernel, faultless. A mutant overrides one.
///
/// The state of a row is that of FlashAttention: m the largest score so far, l the sum of e^(s - m), and O the sum of
/// e^(s - m) v. An empty row has m = -infinity, l = 0 and O = 0. All of it is float.
class TiledSteps {
 public:
  /// Queries and keys per tile.
  static constexpr index tile = 16;

  virtual ~TiledSteps() = default;

  // Where the inputs lie.
  virtual ConstView query(const KernelInputs& inputs) const { return inputs.query; }
  virtual ConstView key(const KernelInputs& inputs) const { return inputs.key; }
  virtual ConstView value(const KernelInputs& inputs) const { return inputs.value; }
  virtual index key_row(index, index key) const { return key; }  // of a sequence

  // Which elements take part.
  virtual index kv_head(index head, const Shape& shape) const { return head / (shape.heads / shape.kv_heads); }
  virtual index keys_read(index keys) const { return keys; }
  virtual index rows_stored(index rows_of_tile) const { return rows_of_tile; }
  virtual TileMask mask(const Mask& mask, const Sequence& sequence) const { return *TileMask::of(mask, sequence); }
  virtual bool visible(const TileMask& mask, index query, index key) const { return mask.visible(query, key); }

  // From q.k to a score.
  virtual float held(float product) const { return product; }  // the register that q.k waits in
  virtual float scaled(float product, float scale) const { return product * scale; }
  virtual float capped(float score, std::optional<float> cap) const;
  /// Caps and masks; a score that is hidden is -infinity.
  virtual float masked(float score, std::optional<float> cap, bool visible) const;
  virtual double bias(const ConstView& bias, const Pair& at) const {
    return bias.value(at.batch, at.head, at.query, at.key);
  }
  virtual double alibi(double slope, const Sequence& sequence, const Pair& at) const;
  /// Masks, caps and adds the bias.
  virtual float biased(float score, std::optional<float> cap, bool visible, double bias) const;

  // Sink and dropout.
  virtual float sink(float logit, float) const { return logit; }  // and the scale
  virtual index sinks(index) const { return 1; }                  // how often it is counted over so many tiles
  virtual bool keeps(const Problem&, const Pair&) const;
  virtual float counted(float p, bool) const { return p; }  // what the denominator adds of a pair, kept or not
  virtual float kept_factor(double rate) const { return static_cast<float>(1 / (1 - rate)); }

  // The state of a row.
  virtual float maximum_before(float m) const { return m; }            // of the tiles so far, where the next one starts
  virtual float padding(index, float) const { return 0; }              // what missing keys of a tile weigh against m
  virtual float weight_for_values(float p, const DType& input) const;  // p as it meets V
  virtual float shrink_sum(float m_before, float m) const;
  virtual float shrink_output(float m_before, float m) const;
  virtual void accumulate(std::span<float> O, float p, std::span<const float> v, bool visible) const;
  virtual float finished(float o, float l) const { return l == 0 ? 0 : o / l; }
  virtual float log_sum_exp(float m, float l) const;

  // The largest score of the row, where somebody asks for it: the score once more, and how tiles are put together.
  virtual float scaled_logit(float product, float scale) const { return scaled(product, scale); }
  virtual float logit(float score, std::optional<float> cap, bool visible, double bias) const {
    return biased(score, cap, visible, bias);
  }
  virtual float largest_logit(float before, float of_tile) const { return std::max(before, of_tile); }
  virtual float max_logit(float largest, std::optional<float>) const { return largest; }  // as stored; and the sink
};

/// e^(s - m) without infinity - infinity: a score of -infinity weighs 0 against any m.
float weight(float s, float m);

class FusedSteps;

/// The kernel that these steps make.
SharedKernel tiled_kernel(std::string name, std::shared_ptr<const TiledSteps>, std::shared_ptr<const FusedSteps>);

/// The faultless one, the twin of every mutant that is made of these steps.
SharedKernel tiled_twin();

/// The kernel of a mutant of the forward pass, with these steps in place of the faultless ones.
SharedKernel tiled_kernel(std::string name, std::shared_ptr<const TiledSteps>);
/// `Steps` is TiledSteps with one step overridden.
template <class Steps>
SharedKernel tiled_mutant(std::string name) {
  return tiled_kernel(std::move(name), std::shared_ptr<const TiledSteps>(std::make_shared<const Steps>()));
}

}  // namespace attestone::inline mutants

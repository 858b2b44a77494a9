// SPDX-License-Identifier: Apache-2.0
// A small split kernel whose every step has a name: the keys fall into parts, each part is attended alone, and the
// parts are merged. T. Dao et al., "Flash-Decoding for long-context inference" (2023).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "backends/kernel.hpp"

namespace attestone::inline mutants {

/// The steps of splitting and merging, faultless. A mutant overrides one. What happens inside a part is the work of
/// TiledSteps.
///
/// Each part keeps the state of the row, as FlashAttention has it: m, l and O (tiled.hpp).
class SplitSteps {
 public:
  virtual ~SplitSteps() = default;

  // Splitting.
  virtual index part_keys(index) const { return 32; }  // of so many keys in all: two tiles
  virtual index parts(index keys) const { return (keys + part_keys(keys) - 1) / part_keys(keys); }
  virtual index place(index part) const { return part; }          // in the row's parts
  virtual bool writes_part(float) const { return true; }          // of a denominator l
  virtual float kept_maximum(float m, float) const { return m; }  // and the scale

  // Merging.
  virtual index heads_merged(const Shape& shape) const { return shape.heads; }
  virtual index parts_merged(index parts) const { return parts; }
  virtual index part_read(index part) const { return part; }  // which one is merged in its place
  virtual index stride_read(index stride_written, index) const { return stride_written; }  // and value_dim
  /// The largest maximum of the parts; -infinity if there is none.
  virtual float maximum(std::span<const float> maxima) const;
  virtual float weight_of_part(float m_of_part, float m) const;
  virtual float merged_sum(float sum, float l_of_part, float weight) const { return sum + weight * l_of_part; }
};

/// The kernel that these steps make.
SharedKernel split_kernel(std::string name, std::shared_ptr<const SplitSteps>);

/// The faultless one.
SharedKernel split_twin();

/// `Steps` is SplitSteps with one step overridden.
template <class Steps>
SharedKernel split_mutant(std::string name) {
  return split_kernel(std::move(name), std::make_shared<const Steps>());
}

}  // namespace attestone::inline mutants

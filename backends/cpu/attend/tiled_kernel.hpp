// SPDX-License-Identifier: Apache-2.0
// The common part of tiled kernels, as the catalogue sees them.
#pragma once

#include "backends/catalogue.hpp"
#include "backends/cpu/attend/blocks.hpp"

namespace attestone::inline backends {

/// A kernel in tiles, with settings: its name, what it refuses, when it wants the mask as bytes. It has gradients, and
/// takes parts.
class TiledKernel : public Kernel {
 public:
  /// The settings of the registered entry of this name.
  TiledKernel(std::string_view entry, const Settings& settings) : settings_(settings), entry_(entry) {}

  std::string name() const final;
  Support supports(const Problem&) const final;
  bool wants_mask_bytes(const Problem&) const override;
  bool takes_parts() const final { return true; }
  bool computes_gradients() const final { return true; }

 protected:
  index setting(std::string_view name) const { return settings_.integer(name); }

  Settings settings_;

 private:
  std::string_view entry_;
};

/// A kernel that merges the answers of parts of the keys. Its backward pass has nothing to merge: it is that of flash,
/// fused, dQ in order.
class MergingKernel : public TiledKernel {
 public:
  using TiledKernel::TiledKernel;

  index backward_bytes(const Problem&) const final;
  void backward(const Problem&, const BackwardArguments&, Device&) const final;

 protected:
  /// States of the forward pass: one for each tile of queries and part of the keys.
  virtual index states(const Problem&) const = 0;
  virtual AttendBlocks backward_blocks() const = 0;
  /// How many threads the forward pass is worth.
  index workers(const Problem&) const;
};

}  // namespace attestone::inline backends

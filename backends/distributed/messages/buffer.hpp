// SPDX-License-Identifier: Apache-2.0
// Memory of a rank that holds rows of a tensor, [rows][heads][channels], and is looked at without copies.
#pragma once

#include <memory>
#include <string_view>

#include "backends/cpu/parts/interval.hpp"
#include "backends/device.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone::inline backends {

/// Counted on the rank's device by its name, until it is released or destroyed. Only what has all heads is cleared.
class Buffer {
 public:
  Buffer(Device&, std::string_view name, const DType&, index rows, index heads, index channels);
  Buffer(Buffer&&) = default;
  Buffer& operator=(Buffer&&) = default;

  const DType& dtype() const { return *dtype_; }
  index heads() const { return heads_; }
  index rows() const { return rows_; }
  index channels() const { return channels_; }
  index bytes() const { return dtype_->bytes(rows_ * heads_ * channels_); }

  /// [1, heads, rows, channels]
  View all() const { return part(0, heads_, 0, rows_); }
  /// [1, heads, rows, channels] of some of them.
  View part(index first_head, index heads, index first_row, index rows) const;
  /// [sequences, heads, rows, channels], of sequences that lie `distance` rows apart.
  View sequences(index count, index distance, index first_row, index rows) const;

  /// A buffer on the same memory that shows only these heads.
  Buffer some_heads(Interval) const;

  /// Every byte becomes 0.
  void clear();
  /// Gives the memory back, once nobody looks at some heads of it either.
  void release() { memory_.reset(); }

 private:
  Buffer(const Buffer&) = default;
  View view(index first_row, Extents, index distance, index first_head) const;

  const DType* dtype_;
  index rows_, heads_, channels_;
  index first_head_ = 0, heads_in_memory_;
  std::shared_ptr<Allocation<std::byte>> memory_;
};

}  // namespace attestone::inline backends

// SPDX-License-Identifier: Apache-2.0
// Tensors own bytes between guard bands; views look at such bytes with any strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reference/dtypes/dtype.hpp"
#include "reference/tensor/bits.hpp"
#include "reference/tensor/row_map.hpp"

namespace attestone {

class SparseGaps;
class SparseMemory;
struct Scales;

index element_count(const Extents&);

/// A look at elements that somebody else owns. Byte is std::byte or const std::byte.
///
/// Rows behind the end of a sequence that its row map does not place do not exist, and an answer that nobody asks for
/// has no data: to look at one is our own mistake.
template <class Byte>
class BasicView {
 public:
  BasicView(Byte* data, const DType& dtype, Extents extents, Strides strides, RowMap row_map = {},
            const Scales* scales = nullptr)
      : data_(data), dtype_(&dtype), extents_(extents), strides_(strides), row_map_(row_map), scales_(scales) {}

  /// True if there is anything to read: an answer that nobody asks for has extents and no data.
  bool exists() const { return data_ != nullptr; }
  Byte* data() const { return data_; }
  const DType& dtype() const { return *dtype_; }
  const Extents& extents() const { return extents_; }
  const Strides& strides() const { return strides_; }
  const RowMap& row_map() const { return row_map_; }
  /// Null where a code stands for its format's number.
  const Scales* scales() const { return scales_; }
  /// How many rows of a sequence exist.
  index rows(index batch) const { return row_map_.rows(batch, extents_); }

  /// How many elements lie before this one, from the first on.
  index place(index batch, index head, index row, index channel) const {
    if (!exists()) require(element_count(extents_) == 0, "nobody looks at a tensor that is not there");
    if (!row_map_.dense()) require(row < rows(batch), "only rows that exist are looked at");
    return row_map_.place(batch, row, strides_) + head * strides_[1] + channel * strides_[3];
  }
  /// The address of an element, of formats whose codes fill whole bytes.
  Byte* at(index batch, index head, index row, index channel) const {
    const int bits = dtype_->storage_bits();
    require(bits % 8 == 0, "only codes of whole bytes have an address");
    return data_ + place(batch, head, row, channel) * (bits / 8);
  }
  std::uint64_t code(index batch, index head, index row, index channel) const {
    return read_code(data_, place(batch, head, row, channel), dtype_->storage_bits());
  }
  /// The factor of this element's code: 1 without scales.
  double scale(index batch, index head, index row, index channel) const {
    return scales_ ? block_scale(batch, head, row, channel) : 1;
  }
  /// The number that the element stands for: exact, since scales and codes together have no more bits than a double
  /// (Tensor::scale_by). RowReader reads the same numbers a row at a time.
  double value(index batch, index head, index row, index channel) const {
    const double number = dtype_->decode(code(batch, head, row, channel));
    return scales_ ? number * block_scale(batch, head, row, channel) : number;
  }

  /// Writing, for views of mutable bytes only. Codes of less than a byte share bytes with their neighbours: one thread.
  void set_code(index batch, index head, index row, index channel, std::uint64_t code) const;
  void set(index batch, index head, index row, index channel, double value) const {
    require(!scales_, "elements with a scale are written by their codes");
    set_code(batch, head, row, channel, dtype_->encode(value));
  }

  /// A view of these elements, repeated along every axis of extent 1 that is longer in `wider`.
  BasicView broadcast_to(const Extents& wider) const {
    require(row_map_.dense() && !scales_, "what is broadcast is dense and has no scales");
    Strides strides = strides_;
    for (std::size_t axis = 0; axis < wider.size(); ++axis) {
      require(extents_[axis] == wider[axis] || extents_[axis] == 1, "only axes of extent 1 are broadcast");
      if (extents_[axis] != wider[axis]) strides[axis] = 0;
    }
    return {data_, *dtype_, wider, strides};
  }

  operator BasicView<const std::byte>() const { return {data_, *dtype_, extents_, strides_, row_map_, scales_}; }

 private:
  double block_scale(index batch, index head, index row, index channel) const;

  Byte* data_;
  const DType* dtype_;
  Extents extents_;
  Strides strides_;
  RowMap row_map_;
  const Scales* scales_;
};

using View = BasicView<std::byte>;
using ConstView = BasicView<const std::byte>;

/// Calls visit(batch, head, row, channel) for every element that exists.
template <class Byte, class Visit>
void for_each_element(const BasicView<Byte>& view, Visit visit) {
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index batch = 0; batch < batches; ++batch)
    for (index head = 0; head < heads; ++head)
      for (index row = 0; row < view.rows(batch); ++row)
        for (index channel = 0; channel < channels; ++channel) visit(batch, head, row, channel);
}

/// Owns the bytes of one tensor: aligned to 64, between two guard bands, with guarded gaps where strides leave any.
/// Where rows lie far apart (layout=sparse), only the pages that they touch are memory.
class Tensor {
 public:
  /// Rows and channels packed in the order batch, head, row, channel.
  Tensor(const DType&, Extents);
  /// SystemFailure if rows lie so far apart that the system denies addresses.
  Tensor(const DType&, Extents, Strides, RowStarts = {}, index spare_rows = 0);
  /// In pages; strides[0] is the distance of neighbouring ones.
  Tensor(const DType&, Extents, Strides, Pages);
  /// One that is not there: extents and strides without bytes.
  static Tensor absent(const DType&, Extents, Strides, RowStarts = {});
  Tensor(const Tensor&);
  Tensor(Tensor&&) = default;
  Tensor& operator=(Tensor&&) = default;

  bool exists() const { return begin_ != nullptr; }
  View view() { return {begin_, *dtype_, extents_, strides_, row_map(), scales_.get()}; }
  ConstView view() const { return {begin_, *dtype_, extents_, strides_, row_map(), scales_.get()}; }

  /// From now on elements stand for their codes' numbers times these. Products must be exact: the two formats have at
  /// most 53 bits of significand together.
  void scale_by(Scales);
  /// Null without.
  Scales* scales() { return scales_.get(); }
  const Scales* scales() const { return scales_.get(); }

  /// Every element becomes this code; gaps and bands stay.
  void fill_code(std::uint64_t code);
  /// True if every byte that belongs to no element still holds what the constructor put there.
  bool guards_intact() const;
  /// The bytes between the bands, gaps included.
  std::span<const std::byte> bytes() const { return {begin_, size_}; }
  std::span<std::byte> bytes() { return {begin_, size_}; }
  /// How many of them are memory: all, or those of the pages that rows touch.
  std::size_t held_bytes() const;
  /// True if both exist or neither does, and both hold the same bytes, gaps included.
  bool same_bytes(const Tensor&) const;

 private:
  struct NotThere {};
  Tensor(NotThere, const DType&, Extents, Strides, RowStarts);

  RowMap row_map() const {
    return row_starts_ ? RowMap(*row_starts_, spare_rows_) : pages_ ? RowMap(*pages_) : RowMap();
  }
  /// The extents as memory sees them, without rows that belong to no sequence.
  Extents stretch() const { return row_map().of_sequences(extents_); }
  bool has_gaps() const;
  SparseGaps gaps() const;
  void allocate();

  static constexpr std::size_t band = 1024;
  struct Free {
    void operator()(std::byte*) const;
  };
  const DType* dtype_;
  Extents extents_;
  Strides strides_;
  // Behind pointers, as views point to them: a tensor that moves takes them along.
  std::shared_ptr<const RowStarts> row_starts_;
  std::shared_ptr<const Pages> pages_;
  std::shared_ptr<Scales> scales_;
  index spare_rows_ = 0;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[], Free> storage_;  ///< null: `sparse_`, or nothing
  std::shared_ptr<SparseMemory> sparse_;
  std::byte* begin_ = nullptr;  ///< of the bytes between the bands; null: the tensor is not there
};

/// Strides of a tensor packed in the order of its axes.
Strides packed_strides(const Extents&);

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Tensors own bytes between guard bands; views look at such bytes with any strides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reference/bits.hpp"
#include "reference/dtype.hpp"
#include "reference/require.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// [batch, head, row, channel]
using Extents = std::array<index, 4>;
/// Distance between neighbours along each axis, in elements; 0 repeats one element.
using Strides = std::array<index, 4>;

index element_count(const Extents&);

/// Sequences of a batch that lie behind each other: rows starts[b] to starts[b + 1] of one stretch belong to sequence b
/// (cu_seqlens); [batch + 1]. Empty where every sequence has a place for as many rows as the extents say.
using RowStarts = std::vector<index>;

/// A look at elements that somebody else owns. Byte is std::byte or const std::byte.
///
/// In a ragged view sequence b begins at row row_starts()[b] of one stretch, whatever strides()[0] says, and rows
/// behind its end do not exist: to look at one is our own mistake.
template <class Byte>
class BasicView {
 public:
  BasicView(Byte* data, const DType& dtype, Extents extents, Strides strides, const index* row_starts = nullptr)
      : data_(data), dtype_(&dtype), extents_(extents), strides_(strides), row_starts_(row_starts) {}

  Byte* data() const { return data_; }
  const DType& dtype() const { return *dtype_; }
  const Extents& extents() const { return extents_; }
  const Strides& strides() const { return strides_; }
  /// [batch + 1] of a ragged view, null otherwise.
  const index* row_starts() const { return row_starts_; }
  /// How many rows of a sequence exist.
  index rows(index batch) const { return row_starts_ ? row_starts_[batch + 1] - row_starts_[batch] : extents_[2]; }

  /// How many elements lie before this one, from the first on.
  index place(index batch, index head, index row, index channel) const {
    if (row_starts_) require(row < rows(batch), "only rows that exist are looked at");
    const index first = row_starts_ ? row_starts_[batch] * strides_[2] : batch * strides_[0];
    return first + head * strides_[1] + row * strides_[2] + channel * strides_[3];
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
  double value(index batch, index head, index row, index channel) const {
    return dtype_->decode(code(batch, head, row, channel));
  }
  /// The elements of one row, decoded: extents()[3] of them.
  void read_row(index batch, index head, index row, std::span<double> values) const;

  /// Writing, for views of mutable bytes only. Codes of less than a byte share bytes with their neighbours: one thread.
  void set_code(index batch, index head, index row, index channel, std::uint64_t code) const;
  void set(index batch, index head, index row, index channel, double value) const {
    set_code(batch, head, row, channel, dtype_->encode(value));
  }

  /// The same elements, repeated along every axis of extent 1 that is longer in `wider`.
  BasicView broadcast_to(const Extents& wider) const {
    require(!row_starts_, "what is broadcast is not ragged");
    Strides strides = strides_;
    for (std::size_t axis = 0; axis < wider.size(); ++axis) {
      require(extents_[axis] == wider[axis] || extents_[axis] == 1, "only axes of extent 1 are broadcast");
      if (extents_[axis] != wider[axis]) strides[axis] = 0;
    }
    return {data_, *dtype_, wider, strides};
  }

  operator BasicView<const std::byte>() const { return {data_, *dtype_, extents_, strides_, row_starts_}; }

 private:
  Byte* data_;
  const DType* dtype_;
  Extents extents_;
  Strides strides_;
  const index* row_starts_;
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

/// All elements in the order of their axes; 0 for rows that do not exist.
std::vector<double> packed_values(const ConstView&);

/// Owns the bytes of one tensor: aligned to 64, between two guard bands, with guarded gaps where strides leave any.
class Tensor {
 public:
  /// Rows and channels packed in the order batch, head, row, channel.
  Tensor(const DType&, Extents);
  Tensor(const DType&, Extents, Strides, RowStarts = {});
  Tensor(const Tensor&);
  Tensor(Tensor&&) = default;
  Tensor& operator=(Tensor&&) = default;

  View view() { return {begin(), *dtype_, extents_, strides_, row_starts()}; }
  ConstView view() const { return {begin(), *dtype_, extents_, strides_, row_starts()}; }

  /// Every element becomes this code; gaps and bands stay.
  void fill_code(std::uint64_t code);
  /// Whether every byte that belongs to no element still holds what the constructor put there.
  bool guards_intact() const;
  /// The bytes between the bands, gaps included.
  std::span<const std::byte> bytes() const { return {begin(), size_}; }
  std::span<std::byte> bytes() { return {begin(), size_}; }

 private:
  std::byte* begin() { return storage_.get() + band; }
  const std::byte* begin() const { return storage_.get() + band; }
  const index* row_starts() const { return row_starts_.empty() ? nullptr : row_starts_.data(); }
  /// The extents as memory sees them: ragged sequences are one long one.
  Extents stretch() const;
  std::vector<bool> covered() const;

  static constexpr std::size_t band = 1024;
  struct Free {
    void operator()(std::byte*) const;
  };
  const DType* dtype_;
  Extents extents_;
  Strides strides_;
  RowStarts row_starts_;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[], Free> storage_;
};

/// Strides of a tensor packed in the order of its axes.
Strides packed_strides(const Extents&);

}  // namespace attestone

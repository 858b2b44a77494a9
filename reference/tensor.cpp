// SPDX-License-Identifier: Apache-2.0
// Guard bands, gaps, and reading and writing single elements.
#include "reference/tensor.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace attestone {
namespace {

constexpr std::align_val_t alignment{64};

/// What a byte that belongs to no element holds: never constant, so that no memset can imitate it.
std::byte guard_byte(std::size_t offset) { return static_cast<std::byte>(0xA5 ^ (offset * 31)); }

/// One past the furthest element, in elements; 0 if there is none.
index reach(const Extents& extents, const Strides& strides) {
  if (element_count(extents) == 0) return 0;
  index last = 0;
  for (int axis = 0; axis < 4; ++axis) last += (extents[axis] - 1) * strides[axis];
  return last + 1;
}

/// Whether the elements fill their stretch of memory, each place once: the axes, by stride, continue one another.
bool fills_its_stretch(const Extents& extents, const Strides& strides) {
  std::array<int, 4> order{0, 1, 2, 3};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return strides[a] < strides[b]; });
  index expected = 1;
  for (const int axis : order) {
    if (extents[axis] == 1) continue;
    if (strides[axis] != expected) return false;
    expected *= extents[axis];
  }
  return true;
}

template <class Visit>
void for_each_element(const Extents& extents, Visit visit) {
  for (index b = 0; b < extents[0]; ++b)
    for (index h = 0; h < extents[1]; ++h)
      for (index r = 0; r < extents[2]; ++r)
        for (index c = 0; c < extents[3]; ++c) visit(b, h, r, c);
}

}  // namespace

index element_count(const Extents& extents) { return extents[0] * extents[1] * extents[2] * extents[3]; }

Strides packed_strides(const Extents& extents) {
  return {extents[1] * extents[2] * extents[3], extents[2] * extents[3], extents[3], 1};
}

template <class Byte>
void BasicView<Byte>::set_code(index batch, index head, index row, index channel, std::uint64_t code) const {
  if constexpr (!std::is_const_v<Byte>)
    write_code(data_, place(batch, head, row, channel), dtype_->storage_bits(), code);
  else
    require(false, "only views of mutable bytes are written to");
}

template <class Byte>
void BasicView<Byte>::read_row(index batch, index head, index row, std::span<double> values) const {
  for (index channel = 0; channel < extents_[3]; ++channel)
    values[static_cast<std::size_t>(channel)] = value(batch, head, row, channel);
}

template class BasicView<std::byte>;
template class BasicView<const std::byte>;

void Tensor::Free::operator()(std::byte* bytes) const { ::operator delete[](bytes, alignment); }

Tensor::Tensor(const DType& dtype, Extents extents) : Tensor(dtype, extents, packed_strides(extents)) {}

Tensor::Tensor(const DType& type, Extents extents, Strides strides, RowStarts row_starts)
    : dtype_(&attestone::dtype(type.name)), extents_(extents), strides_(strides), row_starts_(std::move(row_starts)) {
  require(row_starts_.empty() || std::ssize(row_starts_) == extents[0] + 1, "row starts enclose every sequence");
  size_ = static_cast<std::size_t>(type.bytes(reach(stretch(), strides)));
  storage_.reset(static_cast<std::byte*>(::operator new[](size_ + 2 * band, alignment)));
  for (std::size_t i = 0; i < size_ + 2 * band; ++i) storage_[i] = guard_byte(i);
}

Tensor::Tensor(const Tensor& other) : Tensor(*other.dtype_, other.extents_, other.strides_, other.row_starts_) {
  std::copy_n(other.begin(), size_, begin());
}

Extents Tensor::stretch() const {
  return row_starts_.empty() ? extents_ : Extents{1, extents_[1], row_starts_.back(), extents_[3]};
}

void Tensor::fill_code(std::uint64_t code) {
  const View all(begin(), *dtype_, stretch(), strides_);
  for_each_element(stretch(), [&](index b, index h, index r, index c) { all.set_code(b, h, r, c, code); });
}

std::vector<bool> Tensor::covered() const {
  std::vector<bool> covered(size_);
  const ConstView all(begin(), *dtype_, stretch(), strides_);
  for_each_element(stretch(), [&](index b, index h, index r, index c) {
    const index first = all.place(b, h, r, c) * dtype_->storage_bits(), end = first + dtype_->storage_bits();
    std::fill(covered.begin() + first / 8, covered.begin() + (end + 7) / 8, true);
  });
  return covered;
}

bool Tensor::guards_intact() const {
  const auto intact = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (storage_[i] != guard_byte(i)) return false;
    return true;
  };
  if (!intact(0, band) || !intact(band + size_, 2 * band + size_)) return false;
  if (fills_its_stretch(stretch(), strides_)) return true;  // no gaps
  const std::vector<bool> covered = this->covered();
  for (std::size_t i = 0; i < size_; ++i)
    if (!covered[i] && storage_[band + i] != guard_byte(band + i)) return false;
  return true;
}

std::vector<double> packed_values(const ConstView& view) {
  const auto& [batches, heads, rows, channels] = view.extents();
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(element_count(view.extents())));
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) values.push_back(r < view.rows(b) ? view.value(b, h, r, c) : 0);
  return values;
}

}  // namespace attestone

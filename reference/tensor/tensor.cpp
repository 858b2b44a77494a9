// SPDX-License-Identifier: Apache-2.0
// Guard bands, gaps, and reading and writing single elements.
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "reference/tensor/bits.hpp"
#include "reference/tensor/scales.hpp"
#include "reference/tensor/sparse_memory.hpp"

namespace attestone {
namespace {

constexpr std::align_val_t alignment{64};

/// The value of a byte that belongs to no element: never constant, so that no memset can imitate it.
constexpr std::byte guard_byte(std::size_t offset) { return static_cast<std::byte>(0xA5 ^ (offset * 31)); }

// After so many bytes guards repeat; they are copied and compared in longer stretches.
constexpr std::size_t guard_period = 256, guard_stretch = 16 * guard_period;
/// guard_byte() of a stretch, wherever in a period it begins.
constexpr auto guard_bytes = [] {
  std::array<std::byte, guard_stretch + guard_period> bytes{};
  for (std::size_t offset = 0; offset < bytes.size(); ++offset) bytes[offset] = guard_byte(offset);
  return bytes;
}();

/// Calls visit(offset, count, what guard bytes there hold) for stretches of guards.
template <class Visit>
bool for_each_stretch(std::size_t from, std::size_t to, Visit visit) {
  for (std::size_t count; from < to; from += count) {
    count = std::min(to - from, guard_stretch);
    if (!visit(from, count, guard_bytes.data() + from % guard_period)) return false;
  }
  return true;
}

void write_guards(std::byte* bytes, std::size_t from, std::size_t to) {
  for_each_stretch(from, to, [&](std::size_t at, std::size_t count, const std::byte* guards) {
    std::memcpy(bytes + at, guards, count);
    return true;
  });
}

std::byte* new_bytes(std::size_t size) { return static_cast<std::byte*>(::operator new[](size, alignment)); }

/// One past the furthest element, in elements; 0 if there is none.
index reach(const Extents& extents, const Strides& strides) {
  if (element_count(extents) == 0) return 0;
  index last = 0;
  for (int axis = 0; axis < 4; ++axis) last += (extents[axis] - 1) * strides[axis];
  return last + 1;
}

/// True if the elements fill their stretch of memory, each place once: the axes, by stride, continue one another.
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

/// Every row that exists has a page that exists.
void require_pages_of(const Extents& extents, const Pages& pages) {
  require(std::ssize(pages.rows) == extents[0] && std::ssize(pages.table) == extents[0] * pages.pages_per_sequence,
          "the table has a line for every sequence");
  for (index b = 0; b < extents[0]; ++b) {
    const index rows = pages.rows[static_cast<std::size_t>(b)];
    require(rows <= extents[2] && rows <= pages.pages_per_sequence * pages.rows_per_page, "every row is in a page");
    for (index r = 0; r < rows; r += pages.rows_per_page)
      require(pages.page_of(b, r) >= 0 && pages.page_of(b, r) < pages.page_count, "the table names pages that exist");
  }
}

}  // namespace

index element_count(const Extents& extents) { return extents[0] * extents[1] * extents[2] * extents[3]; }

Extents extents_of_scales(const Extents& extents, const Extents& block) {
  Extents blocks{};
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    blocks[axis] = (extents[axis] + block[axis] - 1) / block[axis];
  return blocks;
}

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
double BasicView<Byte>::block_scale(index batch, index head, index row, index channel) const {
  const Extents& block = scales_->block;
  return scales_->numbers.view().value(batch / block[0], head / block[1], row / block[2], channel / block[3]);
}

template class BasicView<std::byte>;
template class BasicView<const std::byte>;

void Tensor::Free::operator()(std::byte* bytes) const { ::operator delete[](bytes, alignment); }

Tensor::Tensor(const DType& dtype, Extents extents) : Tensor(dtype, extents, packed_strides(extents)) {}

Tensor::Tensor(NotThere, const DType& type, Extents extents, Strides strides, RowStarts row_starts)
    : dtype_(&attestone::dtype(type.name)), extents_(extents), strides_(strides) {
  require(row_starts.empty() || std::ssize(row_starts) == extents[0] + 1, "row starts enclose every sequence");
  if (!row_starts.empty()) row_starts_ = std::make_shared<const RowStarts>(std::move(row_starts));
}

Tensor::Tensor(const DType& type, Extents extents, Strides strides, RowStarts row_starts, index spare_rows)
    : Tensor(NotThere{}, type, extents, strides, std::move(row_starts)) {
  spare_rows_ = spare_rows;
  allocate();
}

Tensor Tensor::absent(const DType& type, Extents extents, Strides strides, RowStarts row_starts) {
  return {NotThere{}, type, extents, strides, std::move(row_starts)};
}

Tensor::Tensor(const DType& type, Extents extents, Strides strides, Pages pages)
    : dtype_(&attestone::dtype(type.name)), extents_(extents), strides_(strides) {
  require_pages_of(extents, pages);
  pages_ = std::make_shared<const Pages>(std::move(pages));
  allocate();
}

Tensor::Tensor(const Tensor& other)
    : dtype_(other.dtype_),
      extents_(other.extents_),
      strides_(other.strides_),
      row_starts_(other.row_starts_),
      pages_(other.pages_),
      scales_(other.scales_ ? std::make_shared<Scales>(*other.scales_) : nullptr),
      spare_rows_(other.spare_rows_) {
  if (!other.exists()) return;
  if (!other.sparse_ && !other.has_gaps()) {  // what is between the bands is all written here
    size_ = other.size_;
    storage_.reset(new_bytes(size_ + 2 * band));
    begin_ = storage_.get() + band;
    write_guards(storage_.get(), 0, band);
    write_guards(storage_.get(), band + size_, size_ + 2 * band);
    std::copy_n(other.begin_, size_, begin_);
    return;
  }
  allocate();
  if (!sparse_)
    std::copy_n(other.begin_, size_, begin_);
  else
    for (const auto& [begin, end] : other.sparse_->touched())
      std::copy_n(other.sparse_->begin() + begin, end - begin, sparse_->begin() + begin);
}

void Tensor::allocate() {
  const Extents in_memory = row_map().in_memory(extents_);
  size_ = static_cast<std::size_t>(dtype_->bytes(reach(in_memory, strides_)));
  if (lies_far_apart(in_memory, strides_, size_)) {
    sparse_ = std::make_shared<SparseMemory>(size_ + 2 * band, gaps());
    begin_ = sparse_->begin() + band;
    for (const auto& [begin, end] : sparse_->gaps().pages()) write_guards(sparse_->begin(), begin, end);
    return;
  }
  storage_.reset(new_bytes(size_ + 2 * band));
  begin_ = storage_.get() + band;
  write_guards(storage_.get(), 0, size_ + 2 * band);
}

SparseGaps Tensor::gaps() const {
  std::vector<ByteStretch> elements = element_stretches(stretch(), strides_, dtype_->storage_bits());
  for (ByteStretch& stretch : elements) stretch.begin += band, stretch.end += band;
  const std::size_t end = size_ + band;
  const ByteStretch bands[] = {{0, band}, {end, end + band}};
  return {std::move(elements), bands};
}

bool Tensor::has_gaps() const { return spare_rows_ > 0 || !fills_its_stretch(stretch(), strides_); }

std::size_t Tensor::held_bytes() const { return sparse_ ? sparse_->gaps().page_bytes() : size_; }

bool Tensor::same_bytes(const Tensor& other) const {
  if (exists() != other.exists() || size_ != other.size_ || !sparse_ != !other.sparse_) return false;
  if (!sparse_) return size_ == 0 || std::memcmp(begin_, other.begin_, size_) == 0;
  const std::byte *const own = sparse_->begin(), *const others = other.sparse_->begin();
  std::vector<ByteStretch> touched = sparse_->touched();
  for (const ByteStretch& stretch : other.sparse_->touched()) touched.push_back(stretch);
  return std::ranges::all_of(touched, [&](const ByteStretch& stretch) {
    return std::memcmp(own + stretch.begin, others + stretch.begin, stretch.end - stretch.begin) == 0;
  });
}

void Tensor::scale_by(Scales scales) {
  const ConstView numbers = std::as_const(scales.numbers).view();
  require(numbers.extents() == extents_of_scales(extents_, scales.block), "every block has one scale");
  require(!numbers.scales(), "scales have no scales");
  require(dtype_->precision() + numbers.dtype().precision() <= std::numeric_limits<double>::digits,
          "a number times its scale fits into a double");
  scales_ = std::make_shared<Scales>(std::move(scales));
}

void Tensor::fill_code(std::uint64_t code) {
  if (!exists()) return;
  const int bits = dtype_->storage_bits();
  if (bits % 8 == 0 && !has_gaps()) {
    const auto width = static_cast<std::size_t>(bits / 8);
    if (size_ > 0) std::memcpy(begin_, &code, width);
    for (std::size_t done = width; done < size_; done *= 2)  // twice as much each time
      std::memcpy(begin_ + done, begin_, std::min(done, size_ - done));
    return;
  }
  const View all(begin_, *dtype_, stretch(), strides_);
  const auto& [batches, heads, rows, channels] = all.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0, place = all.place(b, h, r, 0); c < channels; ++c, place += strides_[3])
          write_code(begin_, place, bits, code);
}

bool Tensor::guards_intact() const {
  if (!exists()) return true;
  const std::byte* const all = begin_ - band;
  const auto intact = [&](std::size_t from, std::size_t to) {
    return for_each_stretch(from, to, [&](std::size_t at, std::size_t count, const std::byte* guards) {
      return std::memcmp(all + at, guards, count) == 0;
    });
  };
  if (sparse_) {
    const SparseGaps& gaps = sparse_->gaps();
    return gaps.for_each_guarded(intact) && gaps.nothing_elsewhere(all, sparse_->touched());
  }
  if (!intact(0, band) || !intact(band + size_, 2 * band + size_)) return false;
  if (!has_gaps()) return true;
  std::size_t from = 0;
  for (const auto& [begin, end] : element_stretches(stretch(), strides_, dtype_->storage_bits())) {
    if (from < begin && !intact(band + from, band + begin)) return false;
    from = std::max(from, end);
  }
  return intact(band + from, band + size_);
}

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Looking at rows and heads of a buffer.
#include "backends/distributed/messages/buffer.hpp"

#include <cstring>

#include "backends/distributed/messages/rules.hpp"
#include "reference/require.hpp"

namespace attestone::inline backends {

Buffer::Buffer(Device& device, std::string_view name, const DType& dtype, index rows, index heads, index channels)
    : dtype_(&dtype), rows_(rows), heads_(heads), channels_(channels), heads_in_memory_(heads) {
  require(dtype.storage_bits() % 8 == 0, "ranks hold elements of whole bytes");
  memory_ = std::make_shared<Allocation<std::byte>>(device, bytes(), name);
}

View Buffer::view(index first_row, Extents extents, index distance, index first_head) const {
  demand(memory_ != nullptr, "what was released is not looked at");
  const auto& [sequences, heads, rows, channels] = extents;
  const bool nothing = sequences * heads * rows == 0;
  demand(nothing || (first_row >= 0 && first_row + (sequences - 1) * distance + rows <= rows_ && first_head >= 0 &&
                     first_head + heads <= heads_),
         "a program looks at rows and heads that a buffer has");
  const index row = heads_in_memory_ * channels_, first = first_row * row + (first_head_ + first_head) * channels_;
  const Strides strides{distance * row, channels_, row, 1};
  return {memory_->data() + dtype_->bytes(first), *dtype_, extents, strides};
}

Buffer Buffer::some_heads(Interval heads) const {
  demand(heads.first >= 0 && heads.last < heads_, "a program looks at heads that a buffer has");
  Buffer some = *this;
  some.first_head_ += heads.first;
  some.heads_ = heads.count();
  return some;
}

View Buffer::part(index first_head, index heads, index first_row, index rows) const {
  return view(first_row, {1, heads, rows, channels_}, rows, first_head);
}

View Buffer::sequences(index count, index distance, index first_row, index rows) const {
  return view(first_row, {count, heads_, rows, channels_}, distance, 0);
}

void Buffer::clear() {
  demand(heads_ == heads_in_memory_, "what is cleared has all heads");
  if (bytes() > 0) std::memset(memory_->data(), 0, static_cast<std::size_t>(bytes()));
}

}  // namespace attestone::inline backends

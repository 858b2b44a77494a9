// SPDX-License-Identifier: Apache-2.0
// Copying codes between tensors and buffers.
#include "backends/distributed/mesh_kernel/held_tensors.hpp"

#include <fmt/format.h>

#include "backends/kernel_fault.hpp"

namespace attestone::inline backends {
namespace {

/// visit(sequence, row of the sequence, row of the buffer) for all that is held.
template <class Visit>
void for_each_row(const HeldRows& rows, Visit visit) {
  for (index sequence = 0; sequence < rows.sequences(); ++sequence)
    for (index i = 0; i < rows.count(sequence); ++i)
      visit(sequence, rows.of(sequence)[static_cast<std::size_t>(i)], rows.begin(sequence) + i);
}

}  // namespace

Buffer scattered(Device& device, std::string_view name, ConstView whole, const HeldRows& rows, Interval heads,
                 index copies) {
  Buffer buffer(device, name, whole.dtype(), rows.count(), heads.count(), whole.extents()[3]);
  const View all = buffer.all();
  for_each_row(rows, [&](index sequence, index row, index held) {
    for (index head = 0; head < heads.count(); ++head)
      for (index c = 0; c < buffer.channels(); ++c)
        all.set_code(0, head, held, c, whole.code(sequence, (heads.first + head) / copies, row, c));
  });
  return buffer;
}

void gather(const Buffer& buffer, const HeldRows& rows, Interval heads, View whole) {
  if (buffer.dtype() != whole.dtype() || buffer.rows() != rows.count() || buffer.heads() != heads.count())
    throw KernelFault(
        "broken-rule",
        fmt::format("a rank answers {} rows of {} heads in {}, where {} of {} are due in {}", buffer.rows(),
                    buffer.heads(), buffer.dtype().name, rows.count(), heads.count(), whole.dtype().name));
  const View all = buffer.all();
  for_each_row(rows, [&](index sequence, index row, index held) {
    for (index head = 0; head < heads.count(); ++head)
      for (index c = 0; c < buffer.channels(); ++c)
        whole.set_code(sequence, heads.first + head, row, c, all.code(0, head, held, c));
  });
}

}  // namespace attestone::inline backends

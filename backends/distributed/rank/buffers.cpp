// SPDX-License-Identifier: Apache-2.0
// Passing several buffers on.
#include "backends/distributed/rank/buffers.hpp"

namespace attestone::inline backends {

Buffer room_like(Rank& rank, const char* name, const Buffer& own, index rows) {
  return {rank.device, name, own.dtype(), rows, own.heads(), own.channels()};
}

std::vector<Request> pass(Rank& rank, const Group& group, index steps, const Buffers& out, const Buffers& in,
                          From from) {
  std::vector<ConstView> going;
  std::vector<View> coming;
  for (const Buffer& tensor : out) going.push_back(tensor.all());
  for (const Buffer& tensor : in) coming.push_back(tensor.all());
  return permute(rank.communicator, group, steps, going, coming, Messages::apart, from);
}

}  // namespace attestone::inline backends

// SPDX-License-Identifier: Apache-2.0
// One call, dealt to ranks: what each begins with, and putting their answers together, on whatever world they run.
#pragma once

#include "backends/distributed/mesh_kernel/held_tensors.hpp"
#include "backends/distributed/mesh_kernel/mesh_shards.hpp"

namespace attestone::inline backends {

/// The inputs that every rank may read: no rows of any dealt tensor.
KernelInputs of_all_ranks(KernelInputs);

/// The inputs with which a rank begins, on its device.
RankInputs dealt(const MeshShards&, index rank, const KernelInputs&, Device&);
RankSaved dealt(const MeshShards&, index rank, const BackwardArguments&, Device&);

/// Sums in f64 of one tensor of which all ranks have all, [batches][heads][rows][channels]; a rank adds to its own.
class SharedSum {
 public:
  SharedSum(Device&, const char* name, const Extents&);

  const Buffer& buffer() const { return buffer_; }
  View view() { return buffer_.sequences(extents_[0], extents_[2], 0, extents_[2]); }

 private:
  Extents extents_;
  Buffer buffer_;
};

/// Puts a rank's answer where it belongs. KernelFault if it is not what belongs there.
void put_together(const MeshShards&, index rank, const RankAnswer&, const Arguments&);
void put_together(const MeshShards&, index rank, const RankGradients&, const BackwardArguments&);
/// The sums of all ranks, added up rank by rank.
void put_together(const std::vector<SharedGradients>& of_ranks, const BackwardArguments&);

/// Rows behind the end of their sequence belong to no rank.
void answer_padding(const Problem&, const Arguments&);
void answer_padding(const Problem&, const BackwardArguments&);

}  // namespace attestone::inline backends

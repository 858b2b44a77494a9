// SPDX-License-Identifier: Apache-2.0
// A distributed method with one thing changed, on a few simulated devices.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "backends/distributed/method/changed_method.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline mutants {

/// Its places numbered from the other end.
inline Group mirrored(Group group) {
  std::ranges::reverse(group.members);
  group.place = group.size() - 1 - group.place;
  return group;
}

/// Computes as one method does and is held to the costs of another.
class CostedAs : public ChangedMethod {
 public:
  CostedAs(std::string_view computed, std::string_view documented)
      : ChangedMethod(computed), documented_(make_rank_program(documented)) {}

  RankCosts forward_costs(const CostedRank& rank) const override { return documented_->forward_costs(rank); }
  RankCosts backward_costs(const CostedRank& rank) const override { return documented_->backward_costs(rank); }

 private:
  std::shared_ptr<const RankProgram> documented_;
};

/// A method with its settings, and the devices that it runs on.
struct OnMesh {
  std::string_view method, mesh;
};
inline constexpr OnMesh ring_of_one{"ring", "ring:1"};
inline constexpr OnMesh ring_of_two{"ring:parts=output", "ring:2"};
inline constexpr OnMesh ring_of_three{"ring", "ring:3"};
inline constexpr OnMesh fixed_ring_of_two{"ring:merge=fixed_maximum", "ring:2"};
inline constexpr OnMesh ring_of_codes{"ring:payload=int8", "ring:2"};
inline constexpr OnMesh zigzag_of_two{"ring:placement=zigzag", "ring:2"};
inline constexpr OnMesh fused_ring_of_two{"ring:messages=fused:gradients=output", "ring:2"};
inline constexpr OnMesh ulysses_of_two{"ulysses", "ulysses:2"};
inline constexpr OnMesh uneven_ulysses_of_two{"ulysses:heads=uneven", "ulysses:2"};
inline constexpr OnMesh copying_ulysses_of_four{"ulysses:kv=copied", "ulysses:4"};
inline constexpr OnMesh two_by_two{"two_dimensional", "ulysses:2+ring:2"};
inline constexpr OnMesh two_chunks_of_two{"ulysses:chunks=2", "ulysses:2"};
inline constexpr OnMesh gathering_two{"all_gather", "ring:2"};
inline constexpr OnMesh gathering_zigzag_of_two{"all_gather:placement=zigzag", "ring:2"};
inline constexpr OnMesh gathering_chunks_of_two{"all_gather:chunks=2", "ring:2"};
inline constexpr OnMesh rings_of_two{"double_ring", "inner:2+outer:2"};
inline constexpr OnMesh token_ring_of_one{"token_ring", "ring:1"};
inline constexpr OnMesh halves_of_two{"ring_bidirectional", "ring:2"};
inline constexpr OnMesh line_of_three{"open_line", "ring:3"};
inline constexpr OnMesh reflecting_line_of_three{"open_line:sums=reflecting", "ring:3"};
inline constexpr OnMesh keys_of_two{"split_keys", "ring:2"};
inline constexpr OnMesh zigzag_keys_of_two{"split_keys:placement=zigzag", "ring:2"};

/// The method on this mesh, with flash on each device, under the name of the mutant.
SharedKernel mesh_mutant(const std::string& name, std::shared_ptr<const RankProgram>, std::string_view mesh);
/// The right method: "ring:parts=output on ring:2".
SharedKernel mesh_twin(const OnMesh&);

}  // namespace attestone::inline mutants

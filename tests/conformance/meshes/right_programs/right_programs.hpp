// SPDX-License-Identifier: Apache-2.0
// Distributed methods as outside authors might write them, every one of them right.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "backends/distributed/method/rank_program.hpp"

namespace attestone {

using SharedProgram = std::shared_ptr<const RankProgram>;

SharedProgram ring_against_the_stream();
SharedProgram keys_to_everybody();
SharedProgram late_merge();
SharedProgram broadcasts_in_turn();
SharedProgram heads_one_by_one();
SharedProgram one_message_to_each_member();
SharedProgram ring_in_both_directions();
SharedProgram heads_in_rounds();
SharedProgram tournament();
SharedProgram tournament_of_one_name();
SharedProgram two_tasks_on_each_rank();

/// A method that `attestone list` does not show, and meshes to judge it on. On the second one, things go wrong.
struct NamedProgram {
  std::string_view name;
  std::vector<std::string_view> meshes;
  SharedProgram (*make)();
};

inline const std::vector<NamedProgram>& right_programs() {
  static const std::vector<NamedProgram> all{
      {"ring_against_the_stream", {"ring:2", "ring:3", "ring:5", "ring:3+batch:2", "ring:1"}, ring_against_the_stream},
      {"keys_to_everybody", {"ring:2", "ring:3", "ring:5", "ring:2+batch:2", "ring:1"}, keys_to_everybody},
      {"late_merge", {"ring:2", "ring:3", "ring:6", "ring:3+batch:2", "ring:1"}, late_merge},
      {"broadcasts_in_turn", {"ring:2", "ring:3", "ring:5", "ring:2+batch:2", "ring:1"}, broadcasts_in_turn},
      {"heads_one_by_one", {"ulysses:2", "ulysses:3", "ulysses:4", "ulysses:2+batch:2", "ulysses:1"}, heads_one_by_one},
      {"one_message_to_each_member",
       {"ulysses:2", "ulysses:3", "ulysses:4", "ulysses:2+batch:2", "ulysses:1"},
       one_message_to_each_member},
      {"ring_in_both_directions", {"ring:2", "ring:3", "ring:4", "ring:5", "ring:3+batch:2"}, ring_in_both_directions},
      {"heads_in_rounds",
       {"ulysses:2+ring:2", "ring:3+ulysses:2", "ulysses:2", "ring:3", "ulysses:2+ring:2+batch:2"},
       heads_in_rounds},
      {"tournament", {"ring:2", "ring:3", "ring:4", "ring:5", "ring:3+batch:2"}, tournament},
      {"tournament_of_one_name", {"ring:2", "ring:3", "ring:4", "ring:5", "ring:3+batch:2"}, tournament_of_one_name},
      {"two_tasks_on_each_rank", {"ring:2", "ring:3", "ring:5", "ring:3+batch:2", "ring:1"}, two_tasks_on_each_rank}};
  return all;
}

}  // namespace attestone

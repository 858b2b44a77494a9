// SPDX-License-Identifier: Apache-2.0
// Pointing at what is not judged yet.
#include "reference/problem/to_come.hpp"

#include <array>

#include "reference/problem/problem_fields.hpp"
#include "reference/user_error.hpp"

namespace attestone {

std::span<const LayoutToCome> layouts_to_come() {
  static constexpr auto all = std::to_array<LayoutToCome>({
      {"paged", "K and V in pages of ROWS rows, scattered over a cache; a block table says where. Not judged yet",
       "ROWS", 1},
  });
  return all;
}

void check_judged(const Problem& problem) {
  const std::string text = problem.text();
  std::size_t begin = 0;
  for (const ProblemField& field : problem_field_table()) {
    const std::string value = field.print(problem);
    if (value.empty()) continue;
    begin += field.help.name.size() + 1;
    if (const Conflict later = field.to_come ? field.to_come(problem) : Conflict(); !later.empty())
      throw UserError(later.message, Place{text, begin, value.size()}, later.hint);
    begin += value.size() + 1;
  }
}

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// The memory of a state, and its beginning.
#include "backends/cpu/attend/state.hpp"

namespace attestone {

AttendState::AttendState(Device& device, index most_queries, index value_dim)
    : value_dim_(value_dim),
      m_(device, panels_of(most_queries) * panel_queries, "maxima"),
      l_(device, panels_of(most_queries) * panel_queries, "sums of weights"),
      o_(device, panels_of(most_queries) * panel_queries * value_dim, "output") {}

index AttendState::bytes(index most_queries, index value_dim) {
  return panels_of(most_queries) * panel_queries * (2 + value_dim) * static_cast<index>(sizeof(float));
}

void AttendState::start(Interval queries, const OnlineSoftmax& sink) {
  queries_ = queries;
  const index columns = panels() * panel_queries;
  std::fill_n(m_.data(), columns, sink.m);
  std::fill_n(l_.data(), columns, sink.l);
  std::fill_n(o_.data(), columns * value_dim_, 0.0f);
}

AttendState::Panel AttendState::panel(index number) {
  const index column = number * panel_queries, first = queries_.first + column;
  return {{first, std::min(first + panel_queries - 1, queries_.last)},
          m_.data() + column,
          l_.data() + column,
          o_.data() + column * value_dim_};
}

}  // namespace attestone

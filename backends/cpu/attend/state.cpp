// SPDX-License-Identifier: Apache-2.0
// The memory of a state, and its beginning.
#include "backends/cpu/attend/state.hpp"

#include "backends/cpu/simd/softmax.hpp"

namespace attestone::inline backends {

AttendState::AttendState(Device& device, index most_queries, index value_dim, bool keeps_maxima)
    : value_dim_(value_dim),
      keeps_maxima_(keeps_maxima),
      m_(device, panels_of(most_queries) * panel_queries, "maxima"),
      l_(device, panels_of(most_queries) * panel_queries, "sums of weights"),
      o_(device, panels_of(most_queries) * panel_queries * value_dim, "output"),
      of_keys_(device, keeps_maxima ? panels_of(most_queries) * panel_queries : 0, "maxima of keys") {}

index AttendState::bytes(index most_queries, index value_dim, bool keeps_maxima) {
  return panels_of(most_queries) * panel_queries * (2 + keeps_maxima + value_dim) * static_cast<index>(sizeof(float));
}

void AttendState::start(Interval queries, const OnlineSoftmax& sink) {
  queries_ = queries;
  fixed_ = false;
  for (index p = 0; p < panels(); ++p) restart(p, sink);
}

void AttendState::restart(index number, const OnlineSoftmax& sink) {
  const Panel at = panel(number);
  std::fill_n(at.m, panel_queries, sink.m);
  std::fill_n(at.l, panel_queries, sink.l);
  std::fill_n(at.OT, panel_queries * value_dim_, 0.0f);
  if (at.of_keys) std::fill_n(at.of_keys, panel_queries, OnlineSoftmax().m);
}

AttendState::Panel AttendState::panel(index number) {
  const index column = number * panel_queries, first = queries_.first + column;
  return {{first, std::min(first + panel_queries - 1, queries_.last)},
          m_.data() + column,
          l_.data() + column,
          o_.data() + column * value_dim_,
          keeps_maxima_ ? of_keys_.data() + column : nullptr,
          fixed_};
}

void AttendState::raise(index number, const float* largest) {
  const Panel at = panel(number);
  alignas(allocation_alignment) float shrink[panel_queries];
  raise_maxima(largest, at.m, at.l, shrink);
  shrink_columns(shrink, value_dim_, at.OT);
}

}  // namespace attestone::inline backends

// SPDX-License-Identifier: Apache-2.0
// Writing a fill into the inputs of a problem.
#include "conformance/fill.hpp"

#include <fmt/format.h>

#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

/// Where strides are 0 all indices of an axis share one element: the first index decides what it holds.
index distinct(const View& view, int axis) { return view.strides()[axis] == 0 ? 1 : view.extents()[axis]; }

void write(const View& view, Role role, const ElementSource& source) {
  if (element_count(view.extents()) == 0) return;
  const index batches = distinct(view, 0), heads = distinct(view, 1), rows = distinct(view, 2),
              channels = distinct(view, 3);
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) view.set(b, h, r, c, source({role, b, h, r, c}));
}

const Fill& fill_of(const Problem& problem) {
  const FillChoice& choice = problem.fill;
  const Fill* fill = Registry<Fill>::find(choice.name);
  if (!fill) throw UserError("unknown fill '" + choice.name + "'", did_you_mean(choice.name, Registry<Fill>::names()));
  if (static_cast<int>(choice.arguments.size()) != fill->argument_count)
    throw UserError(
        fmt::format("fill '{}' takes {} arguments, not {}", choice.name, fill->argument_count, choice.arguments.size()),
        fmt::format("write fill={}{}{}", fill->name, fill->argument_count ? ":" : "", fill->arguments));
  return *fill;
}

}  // namespace

Draw draw_for(const Problem& problem, const Element& at) {
  // 30 bits of channel and 2 of role: extents are at most 2^31, but no dim comes near 2^30.
  const auto role_and_channel = static_cast<std::uint32_t>(static_cast<index>(at.role) << 30 | at.channel);
  return Draw(problem.seed, {role_and_channel, static_cast<std::uint32_t>(at.row), static_cast<std::uint32_t>(at.head),
                             static_cast<std::uint32_t>(at.batch)});
}

Inputs filled(const Problem& problem, const ElementSource& source) {
  Inputs inputs(problem);
  write(inputs.query.view(), Role::query, source);
  write(inputs.key.view(), Role::key, source);
  write(inputs.value.view(), Role::value, source);
  return inputs;
}

Inputs filled(const Problem& problem) { return filled(problem, fill_of(problem).source(problem)); }

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// Writing a fill into the inputs of a problem.
#include "conformance/problems/fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <vector>

#include "conformance/problems/standard_normal.hpp"
#include "reference/problem/to_come.hpp"
#include "reference/random/counter_space.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/floating_point_environment.hpp"
#include "reference/tensor/shared_places.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

// Elements, drawn at some tens of nanoseconds each: below, waking threads costs more than they save.
constexpr index worth_threads = 1 << 14;

/// Rounds rows of numbers into a format; into f32 as the machine does.
class RowEncoder {
 public:
  RowEncoder(const DType& format, index stride, std::size_t channels)
      : format_(format), stride_(stride), is_f32_(format.name == "f32"), codes_(channels) {}

  /// Into the codes from `place` on.
  void write(std::span<const double> values, std::byte* memory, index place) {
    if (is_f32_ && stride_ == 1 && std::ranges::all_of(values, is_within_f32)) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto number = static_cast<float>(values[i]);
        std::memcpy(memory + sizeof number * (static_cast<std::size_t>(place) + i), &number, sizeof number);
      }
      return;
    }
    format_.encode_row(values, codes_);
    for (const std::uint64_t code : codes_) {
      write_code(memory, place, format_.storage_bits(), code);
      place += stride_;
    }
  }

 private:
  static bool is_within_f32(double value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

  const DType& format_;
  index stride_;
  bool is_f32_;
  std::vector<std::uint64_t> codes_;
};

Draw::Place counter_for(const Element& at) {
  const std::optional<int> place = call_tensor(at.tensor).draw_place;
  require(place.has_value(), "only tensors with a place in the counter space are drawn");
  return counter_of(*place, at.batch, at.head, at.row, at.channel);
}

/// Writes every element; among elements that share a place, the first decides what it holds.
void write(const View& view, TensorName tensor, const ElementSource& source) {
  if (element_count(view.extents()) == 0) return;
  require(!view.scales(), "elements with a scale are written by their codes");
  const index batches = distinct(view, 0), heads = distinct(view, 1), channels = distinct(view, 3);
  const bool whole_bytes = view.dtype().storage_bits() % 8 == 0;
#pragma omp parallel if (whole_bytes && batches * heads * distinct(view, 2) * channels > worth_threads)
  {
    const DefaultFloatingPoint environment;  // of this thread of the team
    RowEncoder encoder(view.dtype(), view.strides()[3], static_cast<std::size_t>(channels));
    RowDraws draws, draws_beside;
    std::vector<double> values(static_cast<std::size_t>(channels));
    for (index b = 0; b < batches; ++b) {
      const index rows = std::min(distinct(view, 2), view.rows(b));
#pragma omp for collapse(2) schedule(static) nowait
      for (index h = 0; h < heads; ++h)
        for (index r = 0; r < rows; ++r) {
          const Element first{tensor, b, h, r, 0, &draws, &draws_beside};
          draws.begin_row(counter_for(first), channels);
          source.row(first, values);
          encoder.write(values, view.data(), view.place(b, h, r, 0));
        }
    }
  }
}

Inputs filled(const Problem& problem, const ElementSource& operands, const ElementSource& others) {
  const DefaultFloatingPoint environment;
  Inputs inputs(problem);
  write(inputs.query.view(), TensorName::query, operands);
  write(inputs.key.view(), TensorName::key, operands);
  write(inputs.value.view(), TensorName::value, operands);
  if (inputs.bias) write(inputs.bias->view(), TensorName::bias, others);
  if (inputs.sink) write(inputs.sink->view(), TensorName::sink, others);
  if (inputs.dout) write(inputs.dout->view(), TensorName::dout, others);
  return inputs;
}

/// Where the fill stands in the problem's text.
Place place_of_fill(const Problem& problem) {
  const std::string text = problem.text(), field = " fill=";
  const std::size_t begin = text.find(field) + field.size();
  return {text, begin, text.find(' ', begin) - begin};
}

const Fill& fill_of(const Problem& problem) {
  const FillChoice& choice = problem.fill;
  const Fill* fill = Registry<Fill>::find(choice.name);
  if (!fill)
    throw UserError("unknown fill '" + choice.name + "'", place_of_fill(problem),
                    did_you_mean(choice.name, Registry<Fill>::names()));
  if (static_cast<int>(choice.arguments.size()) != fill->argument_count)
    throw UserError(
        fmt::format("fill '{}' takes {} arguments, not {}", choice.name, fill->argument_count, choice.arguments.size()),
        place_of_fill(problem),
        fmt::format("write fill={}{}{}", fill->name, fill->argument_count ? ":" : "", fill->arguments));
  return *fill;
}

}  // namespace

Element in_row(const Element& at, TensorName tensor, index batch, index head, index row) {
  if (!at.draws_beside) return {tensor, batch, head, row, at.channel};
  at.draws_beside->be_in_row(counter_for({tensor, batch, head, row, 0}), at.draws->channels());
  return {tensor, batch, head, row, at.channel, at.draws_beside};
}

Draw draw_for(const Problem& problem, const Element& at) {
  return at.draws ? at.draws->at(problem.seed, at.channel) : Draw(problem.seed, counter_for(at));
}

double normal_alone(const Problem& problem, const Element& at) { return standard_normal(draw_for(problem, at)); }

Inputs filled(const Problem& problem, const ElementSource& source) { return filled(problem, source, source); }

Inputs filled_forward(const Problem& problem, const ElementSource& source) {
  Problem forward = problem;
  forward.drop_gradients();
  return filled(forward, source);
}

ElementSource normal_others(const Problem& problem) {
  return [problem](const Element& at) {
    constexpr index one_of = 16;
    const bool hidden = at.tensor == TensorName::bias && draw_for(problem, at).integer(1, one_of, 2) == 1;
    return hidden ? -std::numeric_limits<double>::infinity() : normal_for(problem, at);
  };
}

void check_fill(const Problem& problem) { fill_of(problem); }

void check_source(const Problem& problem) {
  const Fill& fill = fill_of(problem);
  if (fill.argument_count > 0) fill.source(problem);
}

Inputs filled(const Problem& problem) {
  check_judged(problem);
  const Fill& fill = fill_of(problem);
  const ElementSource main = fill.source(problem), others = (fill.others ? fill.others : normal_others)(problem);
  return filled(problem, main, others);
}

}  // namespace attestone::inline conformance

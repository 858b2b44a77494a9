// SPDX-License-Identifier: Apache-2.0
// Sums that leave nothing but their smallest term.
#include "conformance/diagnosis/probes/sum_bits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "conformance/problems/fill.hpp"
#include "conformance/trial/trial.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/matrix_units/matrix_unit.hpp"
#include "reference/quantization/coded_problem.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index keys_asked = 48;
// V is so large that O, a share of it, is a normal number of f16.
constexpr double unit = 256, largest = 1.75 * unit;
// The least share of the step that shows as long as a bit of it is left.
constexpr double shows = 0.25;
// A unit that rounds to nearest makes more of a step than it is; one that cuts does not.
constexpr double rounded_up = 1.05;

// An arithmetic that keeps less is wrong in another way than by rounding.
constexpr int fewest = 5;

/// The keys at which V is 1, small and -1.
using Places = std::array<index, 3>;
constexpr Places neighbours{2, 3, 4}, apart{2, 18, 34};

Problem forward_alone(Problem problem) {
  problem.drop_gradients();
  problem.wants.clear();
  return problem;
}

/// One query whose weights are all alike.
class Probe {
 public:
  Probe(const Kernel& kernel, const Problem& problem, index query, index seen)
      : kernel_(kernel), problem_(problem), query_(query), seen_(static_cast<double>(seen)) {}

  /// The largest k for which something is left of 2^-k. Nothing if what is left is no rounding of it.
  std::optional<int> bits(const Places& places) const {
    int kept = 0;
    double last = 1;
    for (int k = 1; k <= SumBits::all_bits; ++k) {
      const auto step = left_of(places, std::ldexp(1.0, -k));
      if (!step || *step < -shows || *step > 2 + shows) return std::nullopt;
      if (*step < shows) break;
      kept = k, last = *step;
    }
    if (kept < SumBits::all_bits && last > rounded_up) --kept;
    return kept < fewest ? std::nullopt : std::optional(kept);
  }

 private:
  /// O of the row, in units of what it should be. Nothing if V has codes that do not tell `small` from 0 or the next
  /// one.
  std::optional<double> left_of(const Places& places, double small) const {
    const Inputs inputs = filled(problem_, [&](const Element& e) {
      if (e.tensor == TensorName::key) return e.row % 2 == 0 ? 1.0 : -1.0;
      if (e.tensor != TensorName::value) return 0.0;
      if (e.row < 2) return e.row == 0 ? largest : -largest;
      if (e.row == places[0]) return unit;
      if (e.row == places[1]) return unit * small;
      return e.row == places[2] ? -unit : 0.0;
    });
    const double exact = exact_sum(inputs);
    if (std::abs(exact - unit * small) > shows * unit * small) return std::nullopt;
    Trial trial(kernel_, problem_, inputs);
    return trial.answer().outputs.out.view().value(0, 0, query_, 0) * seen_ / exact;
  }

  double exact_sum(const Inputs& inputs) const {
    const Numerics numerics = kernel_.numerics(problem_);
    const auto sum_of = [&](const ConstView& value) {
      double sum = 0;
      for (index key = 0; key < keys_asked; ++key) sum += value.value(0, 0, key, 0);
      return sum;
    };
    if (!computes_with_codes(numerics)) return sum_of(inputs.value.view());
    return sum_of(CodedProblem(problem_, inputs, numerics).inputs().value.view());
  }

  const Kernel& kernel_;
  const Problem& problem_;
  index query_;
  double seen_;
};

/// The largest share that the kernel says it may lose of a term beside another one.
double declared_cut(const Numerics& numerics) {
  return std::max(numerics.value.accumulator.roundoff, numerics.value.tile_roundoff);
}

}  // namespace

std::optional<SumBits> sum_bits(const Kernel& kernel, const Problem& problem) {
  const Problem forward = forward_alone(problem);
  const bool plain = forward.dropout == 0 && forward.score.terms().empty() && forward.formats.empty() &&
                     kernel.numerics(forward).value.codes.centring == Centring::none;
  const Sequence own = forward.shape.batch > 0 ? forward.sequence(0) : Sequence{};
  if (!plain || own.queries == 0 || own.keys < keys_asked || forward.shape.value_dim == 0) return std::nullopt;
  const VisiblePairs visible(forward);
  const index query = own.queries - 1, seen = visible.count(0, 0, query);
  const auto first = visible.row(0, 0, query).first(static_cast<std::size_t>(keys_asked));
  if (std::ranges::find(first, 0) != first.end()) return std::nullopt;
  const Probe probe(kernel, forward, query, seen);
  const auto within = probe.bits(neighbours);
  const auto across = within ? probe.bits(apart) : std::nullopt;
  return across ? std::optional(SumBits{*within, *across}) : std::nullopt;
}

std::string sum_bits_read_out(const Kernel& kernel, const Problem& problem) {
  const auto bits = sum_bits(kernel, problem);
  if (!bits) return {};
  const int kept = std::min(bits->within, bits->across);
  if (kept == SumBits::all_bits || std::ldexp(1.0, -kept) <= 2 * declared_cut(kernel.numerics(problem))) return {};
  if (kept < bits->within)
    return fmt::format("from one group of keys to the next its sums of P V keep {} bits below the largest term", kept);
  std::vector<std::string_view> alike;
  for (const MatrixUnit& each : matrix_units())
    if (each.fraction_bits == kept) alike.push_back(each.name);
  const std::string as = alike.empty() ? "" : fmt::format(", as {} do", fmt::join(alike, ", "));
  return fmt::format("its sums of P V keep {} bits below the largest term{}", kept, as);
}

}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// The fills, each with the weakness it is aimed at.
#include "tests/reference/error_bound/fills.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace attestone::emulation {
namespace {

using Generator = std::mt19937_64;

/// Writes element(row, channel) everywhere, the same way in every batch and head.
template <class Element>
void write(const View& view, const Element& element) {
  for (index b = 0; b < view.extents()[0]; ++b)
    for (index h = 0; h < view.extents()[1]; ++h)
      for (index r = 0; r < view.extents()[2]; ++r)
        for (index c = 0; c < view.extents()[3]; ++c) view.set(b, h, r, c, element(r, c));
}

struct Normal {
  explicit Normal(std::uint64_t seed) : generator(seed) {}
  double operator()() { return distribution(generator); }
  Generator generator;
  std::normal_distribution<double> distribution;
};

void normal_with(std::uint64_t seed, Inputs& inputs, double query_factor, double value_offset) {
  Normal z(seed);
  write(inputs.query.view(), [&](index, index) { return query_factor * z(); });
  write(inputs.key.view(), [&](index, index) { return z(); });
  write(inputs.value.view(), [&](index, index) { return value_offset + z(); });
}

void normal(const Problem&, std::uint64_t seed, Inputs& inputs) { normal_with(seed, inputs, 1, 0); }
void times_three(const Problem&, std::uint64_t seed, Inputs& inputs) { normal_with(seed, inputs, 3, 0); }
void offset_value(const Problem&, std::uint64_t seed, Inputs& inputs) { normal_with(seed, inputs, 1, 10); }

/// One-signed sums: every rounding of a running sum grows with it.
void uniform(const Problem&, std::uint64_t seed, Inputs& inputs) {
  Generator generator(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  for (const View& view : {inputs.query.view(), inputs.key.view(), inputs.value.view()})
    write(view, [&](index, index) { return unit(generator); });
}

/// Key j scores score(j), as a sum of channels that hold its leading digits, the next, and so on; V is value(j, c).
template <class Score, class Value>
void scoring(const Problem& problem, Inputs& inputs, const Score& score, const Value& value) {
  constexpr index parts = 3;
  const DType& dtype = inputs.key.view().dtype();
  write(inputs.query.view(), [&](index, index c) { return c < parts ? 1 / problem.scale() : 0; });
  double rest = 0;
  write(inputs.key.view(), [&](index r, index c) {
    if (c == 0) rest = score(r);
    const double part = c < parts ? dtype.round(rest) : 0;
    rest -= part;
    return part;
  });
  write(inputs.value.view(), value);
}

/// A key that takes nearly all mass, and a tail whose weights are half a unit roundoff of f32: lost one by one.
void sink_and_tail(const Problem& problem, std::uint64_t seed, Inputs& inputs) {
  Normal z(seed);
  scoring(
      problem, inputs, [](index r) { return r == 0 ? 0 : -17.6; }, [&](index, index) { return 1 + 0.1 * z(); });
}

/// Weights so small that a sum of 1 never sees them; V of the other sign, so that numerator and denominator do not
/// lose alike.
void sink_and_faint_tail(const Problem& problem, std::uint64_t, Inputs& inputs) {
  scoring(
      problem, inputs, [](index r) { return r == 0 ? 0 : -21; }, [](index r, index) { return r == 0 ? 1 : -1.5; });
}

/// Products of half the last place of their sum in bf16: each addition loses its addend.
void swallowed_products(const Problem&, std::uint64_t, Inputs& inputs) {
  write(inputs.query.view(), [](index, index) { return 1; });
  write(inputs.key.view(), [](index, index c) { return c == 0 ? 1 : 0x1p-8; });
  write(inputs.value.view(), [](index, index) { return 1; });
}

/// One key above a near-tie whose weights all lie just short of the middle between two numbers of the format of P, next
/// to a power of two: the cast errs by nearly u_P, the same way, at every key.
void near_tie_below_a_peak(const Problem& problem, std::uint64_t seed, Inputs& inputs) {
  Generator generator(seed);
  std::uniform_real_distribution<double> share_of_cell(0.9, 0.98);
  const double u = inputs.value.view().dtype().unit_roundoff();
  scoring(
      problem, inputs, [&](index r) { return r == 0 ? 0 : std::log(0.25 * (1 + share_of_cell(generator) * u)); },
      [](index, index) { return 1; });
}

/// Every key scores the same and V is constant: nothing averages out.
void ties_constant_value(const Problem& problem, std::uint64_t, Inputs& inputs) {
  scoring(
      problem, inputs, [](index) { return 0.3; }, [](index, index) { return 0.1; });
}

/// Two clusters of scores closer than any cell, their weights rounding alike, V of opposite sign.
void near_tied_clusters(const Problem& problem, std::uint64_t seed, Inputs& inputs) {
  Generator generator(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  scoring(
      problem, inputs, [&](index r) { return (r % 2 ? -0.3007 : -1.2013) + 1e-7 * unit(generator); },
      [&](index r, index) { return (r % 2 ? 1 : -2.46) * (1 + 0.01 * unit(generator)); });
}

/// Keys that repeat with period 4: the same score errors again and again.
void repeated_keys(const Problem&, std::uint64_t seed, Inputs& inputs) {
  Normal z(seed);
  std::vector<double> pattern(static_cast<std::size_t>(4 * inputs.key.view().extents()[3]));
  for (double& x : pattern) x = z();
  write(inputs.query.view(), [&](index, index) { return z(); });
  write(inputs.key.view(), [&](index r, index c) {
    return pattern[static_cast<std::size_t>(r % 4 * inputs.key.view().extents()[3] + c)];
  });
  write(inputs.value.view(), [](index r, index) { return r % 2 ? 1 : -1; });
}

/// One element in a thousand is ten times as large (FlashAttention-3, table 3).
void outliers(const Problem&, std::uint64_t seed, Inputs& inputs) {
  Normal z(seed);
  std::bernoulli_distribution rare(0.001);
  for (const View& view : {inputs.query.view(), inputs.key.view(), inputs.value.view()})
    write(view, [&](index, index) { return z() + (rare(z.generator) ? 10 * z() : 0); });
}

void small_integers(const Problem&, std::uint64_t seed, Inputs& inputs) {
  Generator generator(seed);
  std::uniform_int_distribution<int> small(-2, 2);
  for (const View& view : {inputs.query.view(), inputs.key.view(), inputs.value.view()})
    write(view, [&](index, index) { return small(generator); });
}

/// Scores near 1000 that differ by about 1: the errors of scores dominate.
void large_common_offset(const Problem& problem, std::uint64_t seed, Inputs& inputs) {
  Normal z(seed);
  write(inputs.query.view(), [&](index, index c) { return c == 0 ? 32 / problem.scale() : z(); });
  write(inputs.key.view(), [&](index, index c) { return c == 0 ? 32 : z(); });
  write(inputs.value.view(), [&](index, index) { return z(); });
}

void subnormal_value(const Problem& problem, std::uint64_t seed, Inputs& inputs) {
  normal(problem, seed, inputs);
  Normal z(seed + 1);
  const double tiny = inputs.value.view().dtype().smallest_normal();
  write(inputs.value.view(), [&](index, index) { return tiny * z(); });
}

/// Each key scores a little more than the one before: every tile raises the maximum, and rounds like the last.
void rising_scores(const Problem& problem, std::uint64_t, Inputs& inputs) {
  scoring(
      problem, inputs, [](index r) { return std::ldexp(static_cast<double>(r), -13); },
      [](index, index) { return 1.37; });
}

/// Rising scores with V of two signs, so that errors of the earlier keys show.
void rising_scores_of_two_signs(const Problem& problem, std::uint64_t, Inputs& inputs) {
  const index keys = problem.shape.keys;
  scoring(
      problem, inputs, [](index r) { return std::ldexp(static_cast<double>(r), -13); },
      [keys](index r, index) { return r < keys / 2 ? 1 : -1; });
}

/// A key that takes most of the mass and gives nothing, and a tail too light for f16.
void sink_of_value_zero(const Problem& problem, std::uint64_t, Inputs& inputs) {
  scoring(
      problem, inputs, [](index r) { return r == 0 ? 0 : -18; }, [](index r, index) { return r == 0 ? 0 : 1; });
}

}  // namespace

const std::vector<Fill>& fills() {
  static const std::vector<Fill> all{
      {"normal", normal},
      {"times three", times_three},
      {"uniform", uniform},
      {"offset value", offset_value},
      {"sink and tail", sink_and_tail},
      {"sink and faint tail", sink_and_faint_tail},
      {"swallowed products", swallowed_products},
      {"near-tie below a peak", near_tie_below_a_peak},
      {"ties, constant value", ties_constant_value},
      {"near-tied clusters", near_tied_clusters},
      {"repeated keys", repeated_keys},
      {"outliers", outliers},
      {"small integers", small_integers},
      {"large common offset", large_common_offset},
      {"subnormal value", subnormal_value},
      {"rising scores", rising_scores},
      {"rising scores of two signs", rising_scores_of_two_signs},
      {"sink of value zero", sink_of_value_zero},
  };
  return all;
}

const Fill& fill_named(const std::string& name) {
  return *std::find_if(fills().begin(), fills().end(), [&](const Fill& fill) { return fill.name == name; });
}

void fill_dout(std::uint64_t seed, bool positive, double size, Inputs& inputs) {
  Normal z(seed + 2000);
  std::uniform_real_distribution<double> unit(0, 1);
  const View view = inputs.dout->view();
  for (index b = 0; b < view.extents()[0]; ++b)
    for (index h = 0; h < view.extents()[1]; ++h)
      for (index r = 0; r < view.extents()[2]; ++r)
        for (index c = 0; c < view.extents()[3]; ++c) view.set(b, h, r, c, size * (positive ? unit(z.generator) : z()));
}

void fill_logits(std::uint64_t seed, Inputs& inputs) {
  Normal z(seed + 1000);
  if (inputs.bias) {
    const index rows = inputs.bias->view().extents()[2];
    std::bernoulli_distribution hidden(0.1);
    write(inputs.bias->view(), [&](index row, index) {
      return hidden(z.generator) || (rows > 1 && row == rows - 1) ? -std::numeric_limits<double>::infinity() : z();
    });
  }
  if (inputs.sink)
    for (index head = 0; head < inputs.sink->view().extents()[1]; ++head)
      inputs.sink->view().set(0, head, 0, 0, 3 * z());
}

}  // namespace attestone::emulation

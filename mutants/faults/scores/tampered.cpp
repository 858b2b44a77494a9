// SPDX-License-Identifier: Apache-2.0
// Kernels that are asked with another scale, another bias, or other numbers in Q and K.
#include "mutants/hosts/tampered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

std::map<std::string, double> first_scales;  // by shape

void scale_of_first_call(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const std::string shape = problem.text().substr(0, problem.text().find(' '));
  Problem planned = problem;
  planned.given_scale = first_scales.try_emplace(shape, problem.scale()).first->second;
  honest.forward(planned, arguments, device);
}

void scale_of_padded_dim(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Problem other = problem;
  other.given_scale.reset();
  honest.forward(other, arguments, device);
}

void small_scale_is_none(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr double smallest = 0.25;
  Problem other = problem;
  if (problem.scale() < smallest) other.given_scale.reset();
  honest.forward(other, arguments, device);
}

/// The nearest number of eleven significant bits.
double rounded_to_tf32(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

void tf32_products(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Inputs rounded(problem);
  const auto round = [](const ConstView& from, const View& to) {
    for_each_element(
        from, [&](index b, index h, index r, index c) { to.set(b, h, r, c, rounded_to_tf32(from.value(b, h, r, c))); });
  };
  round(arguments.query, rounded.query.view());
  round(arguments.key, rounded.key.view());
  Arguments other = arguments;
  other.query = rounded.query.view(), other.key = rounded.key.view();
  honest.forward(problem, other, device);
}

void finite_minus_infinity(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr double large = -10000;
  Arguments finite = arguments;
  std::optional<Tensor> bias;
  if (arguments.bias) {
    bias.emplace(changed_copy(*arguments.bias, [&](double x, const Extents&) { return std::max(x, large); }));
    finite.bias.emplace(bias->view());
  }
  honest.forward(problem, finite, device);
}

void first_sixty_four_channels(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                               Device& device) {
  const Tensor query = changed_copy(arguments.query, [](double x, const Extents& at) { return at[3] < 64 ? x : 0; });
  Arguments narrow = arguments;
  narrow.query = query.view();
  honest.forward(problem, narrow, device);
}

void half_of_wide_heads(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr index widest = 128;
  const Tensor query = changed_copy(arguments.query, [&](double x, const Extents& at) {
    return problem.shape.dim > widest && at[3] >= problem.shape.dim / 2 ? 0 : x;
  });
  Arguments narrow = arguments;
  narrow.query = query.view();
  honest.forward(problem, narrow, device);
}

void stops_at_zero_channel(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  bool ended = false;
  const Tensor query = changed_copy(arguments.query, [&](double x, const Extents& at) {
    ended = x == 0 || (ended && at[3] > 0);
    return ended ? 0 : x;
  });
  Arguments shortened = arguments;
  shortened.query = query.view();
  honest.forward(problem, shortened, device);
}

void keys_saturate(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const Tensor key =
      changed_copy(arguments.key, [&](double x, const Extents&) { return std::max(-1.0, std::min(x, 1.0)); });
  Arguments saturated = arguments;
  saturated.key = key.view();
  honest.forward(problem, saturated, device);
}

void range_by_maximum(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  double largest = -std::numeric_limits<double>::infinity();
  for_each_element(arguments.key, [&](index b, index h, index j, index c) {
    largest = std::max(largest, arguments.key.value(b, h, j, c));
  });
  const double range = std::abs(largest);
  const Tensor key =
      changed_copy(arguments.key, [&](double x, const Extents&) { return std::max(-range, std::min(x, range)); });
  Arguments clamped = arguments;
  clamped.key = key.view();
  honest.forward(problem, clamped, device);
}

void small_keys_flushed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr double smallest = 0x1p-4;
  const Tensor key =
      changed_copy(arguments.key, [&](double x, const Extents&) { return std::abs(x) < smallest ? 0 : x; });
  Arguments flushed = arguments;
  flushed.key = key.view();
  honest.forward(problem, flushed, device);
}

const Registrations<Mutant> registered{
    {.name = "scale_of_first_call",
     .summary = "keeps a plan for each shape, with the scale of the first call in it",
     .source = "pytorch/pytorch PR #184122",
     .property = "scale_moves_into_query",
     .reason = "power-of-two",
     .problem = "shape=1x1x1x2x3",
     .kernel = [] { return tampered_kernel("scale_of_first_call", scale_of_first_call); },
     .twin = tiled_twin},
    {.name = "scale_of_padded_dim",
     .summary = "takes 1/sqrt(dim) for the scale, whatever scale is given",
     .source = "intel/ipex-llm PR #12619",
     .property = "zero_channels_irrelevant",
     .reason = "channels",
     .problem = "shape=1x1x1x2x2",
     .kernel = [] { return tampered_kernel("scale_of_padded_dim", scale_of_padded_dim); },
     .twin = tiled_twin},
    {.name = "small_scale_is_none",
     .summary = "takes 1/sqrt(dim) in place of a scale below 1/4",
     .property = "scale_moves_into_query",
     .reason = "power-of-two",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return tampered_kernel("small_scale_is_none", small_scale_is_none); },
     .twin = tiled_twin},
    {.name = "tf32_products",
     .summary = "rounds Q and K to eleven bits, as tf32 does, without saying so",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x8",
     .kernel = [] { return tampered_kernel("tf32_products", tf32_products); },
     .twin = tiled_twin},
    {.name = "finite_minus_infinity",
     .summary = "takes a bias of -inf for -10000, so that a row without a key becomes a mean",
     .source = "pytorch/pytorch issue #109517",
     .property = "mask_as_bias",
     .reason = "mask-form",
     .problem = "shape=1x1x3x2x2 mask=causal",
     .kernel = [] { return tampered_kernel("finite_minus_infinity", finite_minus_infinity); },
     .twin = tiled_twin},
    {.name = "first_sixty_four_channels",
     .summary = "multiplies the first 64 channels of Q and K, whatever dim is",
     .source = "triton-lang/triton #621",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x66:1",
     .kernel = [] { return tampered_kernel("first_sixty_four_channels", first_sixty_four_channels); },
     .twin = tiled_twin},
    {.name = "half_of_wide_heads",
     .summary = "multiplies half of the channels of Q and K if there are more than 128",
     .source = "flashinfer-ai/flashinfer #1993",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x129:1",
     .kernel = [] { return tampered_kernel("half_of_wide_heads", half_of_wide_heads); },
     .twin = tiled_twin},
    {.name = "stops_at_zero_channel",
     .summary = "takes a query to end at its first channel that is 0",
     .property = "channel_order_irrelevant",
     .reason = "channels",
     .problem = "shape=1x1x1x2x2 fill=few_valued seed=9",
     .kernel = [] { return tampered_kernel("stops_at_zero_channel", stops_at_zero_channel); },
     .twin = tiled_twin},
    {.name = "keys_saturate",
     .summary = "saturates K at 1, the range that a calibration once saw",
     .property = "rotation_irrelevant",
     .reason = "channels",
     .problem = "shape=1x1x1x2x2 fill=uniform",
     .kernel = [] { return tampered_kernel("keys_saturate", keys_saturate); },
     .twin = tiled_twin},
    {.name = "range_by_maximum",
     .summary = "clamps K to plus or minus its largest element, as a quantiser does that forgets the absolute value",
     .property = "channel_signs_irrelevant",
     .reason = "channels",
     .problem = "shape=1x1x1x2x1 fill=uniform",
     .kernel = [] { return tampered_kernel("range_by_maximum", range_by_maximum); },
     .twin = tiled_twin},
    {.name = "small_keys_flushed",
     .summary = "reads elements of K below 2^-4 as 0",
     .property = "query_key_scaled",
     .reason = "power-of-two",
     .problem = "shape=1x1x1x2x2",
     .kernel = [] { return tampered_kernel("small_keys_flushed", small_keys_flushed); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants

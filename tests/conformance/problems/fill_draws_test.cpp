// SPDX-License-Identifier: Apache-2.0
// A seed draws the same inputs and masks for ever: digests of what it drew when they were recorded (commit f44e6d0).
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "conformance/problems/fill.hpp"
#include "reference/random/counter_space.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// FNV-1a.
class Digest {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) state_ = (state_ ^ (number >> 8 * byte & 0xFF)) * 0x100000001b3;
  }
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

std::uint64_t digest_of_inputs(const Problem& problem) {
  Digest digest;
  const Inputs inputs = filled(problem);
  for (const NamedTensor& named : tensors_of(inputs)) {
    const ConstView view = named.tensor->view();
    for_each_element(view, [&](index b, index h, index r, index c) { digest.add(view.code(b, h, r, c)); });
  }
  return digest.state();
}

std::uint64_t digest_of_mask(const std::string& mask) {
  const Problem problem = parse_problem("shape=3x2x37x41x1 seed=987654321987 mask=" + mask);
  Digest digest;
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < problem.shape.queries; ++i)
        for (index j = 0; j < problem.shape.keys; ++j) digest.add(problem.visible({b, h, i, j}));
  return digest.state();
}

/// The digest of the draws at the corners of everything that a problem may be.
std::uint64_t digest_of_draws(TensorName tensor) {
  constexpr index most = (index{1} << 31) - 1, most_channel = (index{1} << 30) - 1, no_row = 0xFFFFFFFF;
  const Problem problem = parse_problem("shape=1x1x1x1x1 seed=987654321987");
  Digest digest;
  for (const index b : {index{0}, index{1}, most})
    for (const index h : {index{0}, index{1}, most})
      for (const index r : {index{0}, index{1}, most, no_row})
        for (const index c : {index{0}, index{1}, most_channel})
          for (int word = 0; word < 4; ++word) digest.add(draw_for(problem, {tensor, b, h, r, c}).word(word));
  return digest.state();
}

TEST(FillDraws, OfEveryTensorAreWhatTheyWere) {
  const std::map<TensorName, std::uint64_t> recorded{
      {TensorName::query, 0xaec16d9df37017ba}, {TensorName::key, 0x36af980f0ca74092},
      {TensorName::value, 0xc85c997f843a794e}, {TensorName::bias, 0xc8b2c7266ced2873},
      {TensorName::sink, 0xa19216d7b2932826},  {TensorName::dout, 0x12207d8d0e5820fe}};
  for (const auto& [tensor, digest] : recorded) EXPECT_EQ(digest_of_draws(tensor), digest) << text(tensor);
}

TEST(FillDraws, OfEveryMaskAreWhatTheyWere) {
  const std::map<std::string, std::uint64_t> recorded{{"dense:30", 0xef915f41c8781664},
                                                      {"block:3", 0xb24aee7810fe2344},
                                                      {"document:3", 0x79cd98e264db1105},
                                                      {"dense:30&block:5|~document:2", 0xc812975785096624}};
  for (const auto& [mask, digest] : recorded) EXPECT_EQ(digest_of_mask(mask), digest) << mask;
}

TEST(FillDraws, OfEveryFillAreWhatTheyWere) {
  const std::map<std::string, std::uint64_t> recorded{
      {"channel_offset", 0x487803146429548},  {"few_valued", 0xd59a798e6381e1b8},
      {"finite_masks", 0x282ca68dd25937a},    {"large_logits", 0xa192321388383293},
      {"low_rank", 0xdda3340ffc67d34},        {"monotone", 0x8c6a68c5dad408b},
      {"near_ties", 0x313eaa990f02590f},      {"nonfinite", 0x2467dcd1f8dbfb7d},
      {"normal", 0x3283d4bc99be202c},         {"one_hot", 0xcbb0c198f74a2897},
      {"outliers", 0x3283d4bc99be202c},       {"sinks", 0xea3541f25deeb35b},
      {"small_gradients", 0x73dbf6225416cc0}, {"small_integers", 0xab547c4fdb6fff6f},
      {"subnormal", 0xa175245cb7b95a7d},      {"tail_mass", 0x21665161b83beff3},
      {"tied_maxima", 0xc0091188db94515b},    {"ties", 0x3afed40abb2700f},
      {"uniform", 0xc60bace5438be51a},        {"wide", 0x42ca1dddd399982f}};
  for (const auto& [fill, digest] : recorded)
    EXPECT_EQ(digest_of_inputs(parse_problem("shape=2x4/2x5x7x6:3 score=bias:head&sink:head pass=forward+backward "
                                             "layout=strided seed=987654321987 fill=" +
                                             fill)),
              digest)
        << fill;
}

TEST(FillDraws, OfEveryLayoutAreWhatTheyWere) {
  const std::map<std::string, std::uint64_t> recorded{
      {"bhsd", 0x7fd3a8ca4808e514},       {"broadcast", 0x6a5cee0fbf4e51e7}, {"bshd", 0x7fd3a8ca4808e514},
      {"packed_qkv", 0x7fd3a8ca4808e514}, {"ragged", 0x356699bd20f51b56},    {"strided", 0x7fd3a8ca4808e514}};
  for (const auto& [layout, digest] : recorded)
    EXPECT_EQ(digest_of_inputs(parse_problem("shape=2x4/2x7x7x6 dtype=bf16>f32 lengths=5+7 score=bias:full&sink:head "
                                             "pass=forward+backward seed=987654321987 layout=" +
                                             layout)),
              digest)
        << layout;
}

/// The counters at the corners of a place.
void add_corners(std::set<Draw::Place>& counters, int place) {
  constexpr index most = (index{1} << 31) - 1, most_inner = (index{1} << 30) - 1, no_row = 0xFFFFFFFF;
  for (const index b : {index{0}, most})
    for (const index h : {index{0}, most})
      for (const index r : {index{0}, most, no_row})
        for (const index c : {index{0}, most_inner}) counters.insert(counter_of(place, b, h, r, c));
}

TEST(CounterSpace, NoTwoPlacesMeet) {
  std::set<Draw::Place> counters;
  for (int place = 0; place < draw_places; ++place) add_corners(counters, place);
  EXPECT_EQ(counters.size(), static_cast<std::size_t>(draw_places) * 2 * 2 * 3 * 2);
}

TEST(CounterSpace, ATensorOfTheCacheMeetsNeitherMasksNorQuery) {
  const Problem problem = parse_problem("shape=1x1x1x1x1");
  const auto word = [&](TensorName tensor) { return draw_for(problem, {tensor, 0, 0, 0, 0}).word(0); };
  EXPECT_NE(word(TensorName::query_scales), word(TensorName::query));
  EXPECT_NE(word(TensorName::key_scales), word(TensorName::key));
  EXPECT_THROW(word(TensorName::out), BrokenAssumption) << "nobody draws it";
}

}  // namespace
}  // namespace attestone

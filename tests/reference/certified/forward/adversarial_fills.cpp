// SPDX-License-Identifier: Apache-2.0
// The fills, each aimed at one term of the bound or one step of the decision.
#include "tests/reference/certified/forward/adversarial_fills.hpp"

#include <cmath>

namespace attestone {
namespace {

double normal(Random& random) { return std::normal_distribution<double>()(random); }
double integer(Random& random, int most) {
  return static_cast<double>(std::uniform_int_distribution<int>(-most, most)(random));
}

void set_normal(Tensor& tensor, Random& random, double factor = 1) {
  set_all(tensor, [&](index, index) { return factor * normal(random); });
}

void normal_inputs(const Problem&, Inputs& in, Random& random) {
  for (Tensor* tensor : {&in.query, &in.key, &in.value}) set_normal(*tensor, random);
}

void small_integers(const Problem&, Inputs& in, Random& random) {
  for (Tensor* tensor : {&in.query, &in.key, &in.value})
    set_all(*tensor, [&](index, index) { return integer(random, 2); });
}

/// Equal scores and integer values: means that are exact, or exactly between two numbers of the output format.
void ties(const Problem&, Inputs& in, Random& random) {
  set_all(in.query, [&](index, index) { return 0.0; });
  set_normal(in.key, random);
  set_all(in.value, [&](index, index) { return integer(random, 9); });
}

/// Two groups of equal scores, each with the same mean of V.
void tied_groups(const Problem&, Inputs& in, Random& random) {
  set_normal(in.query, random);
  set_all(in.key, [&](index key, index) { return key % 4 < 2 ? 0.5 : -0.25; });
  set_all(in.value, [&](index key, index channel) {
    return key % 2 ? 1.0 : 1 + std::ldexp(1.0, -static_cast<int>(channel % 24));
  });
}

void large_logits(const Problem&, Inputs& in, Random& random) {
  set_all(in.query, [&](index, index) { return 200 + normal(random); });
  set_all(in.key, [&](index, index) { return 50 + normal(random) / 100; });
  set_normal(in.value, random);
}

void sinks(const Problem&, Inputs& in, Random& random) {
  normal_inputs({}, in, random);
  set_all(in.key, [&](index key, index) { return key == 0 ? 8 : normal(random); });
}

/// Keys and values in pairs k, k and v, -v (but for their last bits): O is what is left of cancellation.
void cancelling_values(const Problem&, Inputs& in, Random& random) {
  set_normal(in.query, random);
  double last = 0;
  set_all(in.key, [&](index key, index) { return static_cast<double>(key / 2 % 3) - 1; });
  set_all(in.value, [&](index key, index channel) {
    return last = (key % 2 ? -1 : 1) * (1000 + static_cast<double>(channel) + normal(random) * 1e-6);
  });
}

void subnormal(const Problem& p, Inputs& in, Random& random) {
  set_normal(in.query, random);
  set_normal(in.key, random);
  const double tiny = p.input.smallest_subnormal();
  set_all(in.value, [&](index, index) { return tiny * integer(random, 100); });
}

void one_hot(const Problem&, Inputs& in, Random& random) {
  set_all(in.query, [&](index query, index channel) { return query % 3 == channel % 3 ? 30 : 0; });
  set_all(in.key, [&](index key, index channel) { return key % 3 == channel % 3 ? 30 : 0; });
  set_normal(in.value, random);
}

void huge_and_tiny(const Problem& p, Inputs& in, Random& random) {
  set_normal(in.query, random, 1e-2);
  set_normal(in.key, random, 1e-3);
  const double most = p.input.largest(), least = p.input.smallest_normal();
  set_all(in.value,
          [&](index, index channel) { return (channel % 2 ? most / 4 : least * 4) * std::tanh(normal(random)); });
}

void outliers(const Problem&, Inputs& in, Random& random) {
  for (Tensor* tensor : {&in.query, &in.key, &in.value})
    set_all(*tensor, [&](index, index channel) { return normal(random) * (channel == 3 ? 60 : 1); });
}

void all_values_equal(const Problem&, Inputs& in, Random& random) {
  normal_inputs({}, in, random);
  set_all(in.value, [&](index, index channel) { return 0.1 + static_cast<double>(channel); });
}

void zero_values(const Problem&, Inputs& in, Random& random) {
  normal_inputs({}, in, random);
  set_all(in.value, [](index, index) { return 0.0; });
}

/// Every fill writes Q, K and V; biases, sinks and the gradient of O are the same for all: normal numbers on the scale
/// of a score, ties with other scores among them, and biases that hide.
void fill_the_rest(Inputs& in, Random& random) {
  const auto score = [&] { return random() % 3 == 0 ? integer(random, 1) : 2 * normal(random); };
  if (in.bias) set_all(*in.bias, [&](index, index) { return random() % 5 == 0 ? -HUGE_VAL : score(); });
  if (in.sink) set_all(*in.sink, [&](index, index) { return random() % 9 == 0 ? -HUGE_VAL : score(); });
  if (in.dout) set_normal(*in.dout, random);
}

}  // namespace

void AdversarialFill::fill(const Problem& problem, Inputs& inputs, Random& random) const {
  fill_operands(problem, inputs, random);
  fill_the_rest(inputs, random);
}

const std::vector<AdversarialFill>& adversarial_fills() {
  static const std::vector<AdversarialFill> fills{
      {"normal", normal_inputs},
      {"small_integers", small_integers},
      {"ties", ties},
      {"tied_groups", tied_groups},
      {"large_logits", large_logits},
      {"sinks", sinks},
      {"cancelling_values", cancelling_values},
      {"subnormal", subnormal},
      {"one_hot", one_hot},
      {"huge_and_tiny", huge_and_tiny},
      {"outliers", outliers},
      {"all_values_equal", all_values_equal},
      {"zero_values", zero_values},
  };
  return fills;
}

}  // namespace attestone

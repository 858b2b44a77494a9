// SPDX-License-Identifier: Apache-2.0
// Wrong scores: scale, softcap, bias and sink.
#include <cmath>
#include <numbers>

#include "conformance/diagnosis/variant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Change = std::function<void(Definition&)>;

Change with_scale(double scale) {
  return [scale](Definition& d) { d.scale = scale; };
}

void add_scales(const Problem& problem, std::vector<Variant>& all) {
  const double right = problem.scale(), dim = static_cast<double>(problem.shape.dim);
  constexpr const char* place = "where the scale is applied: once, to q.k, before the softcap";
  const auto add = [&](const char* name, const char* says, double scale) {
    if (scale != right) all.push_back({name, says, place, with_scale(scale)});
  };
  add("scale missing", "q.k is not scaled", 1);
  add("scale twice", "q.k is scaled twice", right * right);
  if (problem.given_scale) add("scale 1/dim", "q.k is divided by dim", 1 / dim);
  add("scale sqrt(dim)", "q.k is multiplied by sqrt(dim)", std::sqrt(dim));
  add("scale 1/sqrt(dim)", "the scale that was given is ignored", 1 / std::sqrt(dim));
  add("scale 1/sqrt(value_dim)", "the scale takes value_dim for dim",
      1 / std::sqrt(static_cast<double>(problem.shape.value_dim)));
  add("square root of the scale", "the square root of the scale is applied", std::sqrt(std::abs(right)));
  add("scale negated", "scores have the wrong sign", -right);
  all.push_back(
      {"base 2", "2^s in place of e^s: the factor log2(e) is missing", "exp2 and its argument", [](Definition& d) {
         d.score = [&d](const Pair& at, double q_k) {
           return std::numbers::ln2 * (d.capped(d.scale * q_k) + (d.bias ? d.bias.of(at) : 0));
         };
       }});
  all.push_back({"log2(e) twice", "e^(s log2(e)) in place of e^s", "exp where exp2 was meant", [](Definition& d) {
                   d.score = [&d](const Pair& at, double q_k) {
                     return std::numbers::log2e * (d.capped(d.scale * q_k) + (d.bias ? d.bias.of(at) : 0));
                   };
                 }});
}

void add_caps(const Problem& problem, std::vector<Variant>& all) {
  if (!problem.score.softcap()) return;
  constexpr const char* place = "the order: scale, softcap, bias, mask";
  all.push_back({"softcap ignored", "scores are not capped", place, [](Definition& d) { d.cap.reset(); }});
  all.push_back({"softcap before the scale", "q.k is capped, then scaled", place, [](Definition& d) {
                   d.score = [&d](const Pair& at, double q_k) {
                     return d.scale * d.capped(q_k) + (d.bias ? d.bias.of(at) : 0);
                   };
                 }});
  all.push_back({"softcap without its last factor", "tanh(s / c) is not multiplied by c", place, [](Definition& d) {
                   d.score = [&d](const Pair& at, double q_k) {
                     return std::tanh(d.scale * q_k / *d.cap) + (d.bias ? d.bias.of(at) : 0);
                   };
                 }});
  all.push_back({"softcap s tanh(s / c)", "tanh(s / c) is multiplied by s instead of c", place, [](Definition& d) {
                   d.score = [&d](const Pair& at, double q_k) {
                     const double s = d.scale * q_k;
                     return s * std::tanh(s / *d.cap) + (d.bias ? d.bias.of(at) : 0);
                   };
                 }});
  if (problem.score.has_bias())
    all.push_back({"softcap after the bias", "the bias is capped, too", place, [](Definition& d) {
                     d.score = [&d](const Pair& at, double q_k) { return d.capped(d.scale * q_k + d.bias.of(at)); };
                   }});
  const auto after_mask = [](Definition& d) {
    d.sees = [&d](const Pair& at) {
      const Sequence real = d.problem.sequence(at.batch);
      return at.query < real.queries && at.key < real.keys;
    };
    d.score = [&d](const Pair& at, double q_k) {
      if (!d.problem.visible(at)) return -*d.cap;
      return d.capped(d.scale * q_k) + (d.bias ? d.bias.of(at) : 0);
    };
  };
  all.push_back({"softcap after the mask", "hidden pairs get a score of -c instead of -infinity", place, after_mask});
  all.push_back({"softcap after the mask, in the sum", "the denominator counts hidden pairs with a score of -c", place,
                 [after_mask](Definition& d) {
                   after_mask(d);
                   d.kept = [&d](const Pair& at) { return d.problem.visible(at) ? 1.0 : 0.0; };
                 }});
}

/// The bias of another place.
Change bias_from(const std::function<Pair(const Definition&, const Pair&)>& place, double factor = 1) {
  return [place, factor](Definition& d) {
    d.score = [&d, place, factor](const Pair& at, double q_k) {
      return d.capped(d.scale * q_k) + factor * d.bias.of(place(d, at));
    };
  };
}

void add_biases(const Problem& problem, std::vector<Variant>& all) {
  if (!problem.score.has_bias()) return;
  constexpr const char* place = "strides of the bias: axes that its kind lacks have stride 0";
  const auto same = [](const Definition&, const Pair& at) { return at; };
  all.push_back({"bias ignored", "the bias is not added", place, bias_from(same, 0)});
  all.push_back({"bias negated", "the bias is subtracted", "the sign of the slopes", bias_from(same, -1)});
  all.push_back(
      {"bias scaled", "the bias is multiplied by the scale, too", "where the scale is applied", [](Definition& d) {
         d.score = [&d](const Pair& at, double q_k) { return d.capped(d.scale * q_k) + d.scale * d.bias.of(at); };
       }});
  all.push_back(
      {"bias of the first head", "every head gets the bias of head 0", place, bias_from([](auto&, const Pair& at) {
         return Pair{at.batch, 0, at.query, at.key};
       })});
  all.push_back({"bias of the first sequence", "every sequence gets the bias of the first", place,
                 bias_from([](auto&, const Pair& at) {
                   return Pair{0, at.head, at.query, at.key};
                 })});
  all.push_back(
      {"bias of the first query", "every query gets the bias of query 0", place, bias_from([](auto&, const Pair& at) {
         return Pair{at.batch, at.head, 0, at.key};
       })});
  if (problem.score.bias_tensor()) return;  // which has no elements at other positions
  all.push_back({"bias aligned at the top left", "positions of queries are counted from the first key",
                 "the position of a query: query + keys - queries", bias_from([](const Definition& d, const Pair& at) {
                   const Sequence real = d.problem.sequence(at.batch);
                   return Pair{at.batch, at.head, at.query - (real.keys - real.queries), at.key};
                 })});
}

void add_sinks(const Problem& problem, std::vector<Variant>& all) {
  if (!problem.score.has_sink()) return;
  constexpr const char* place = "the sink: one more logit, neither scaled nor capped, counted once";
  const auto change = [&](const char* name, const char* says, auto logit) {
    all.push_back(
        {name, says, place, [logit](Definition& d) { d.sink = [&d, logit](index head) { return logit(d, head); }; }});
  };
  const auto of = [](const Definition& d, index head) { return d.inputs.sink->view().value(0, head, 0, 0); };
  change("sink ignored", "the sink takes no share of the weights",
         [](const Definition&, index) { return std::optional<double>(); });
  change("sink scaled", "the sink is multiplied by the scale",
         [of](const Definition& d, index head) { return std::optional(d.scale * of(d, head)); });
  change("sink twice", "the sink is counted twice",
         [of](const Definition& d, index head) { return std::optional(of(d, head) + std::numbers::ln2); });
  change("sink of the first head", "every head has the sink of head 0",
         [of](const Definition& d, index) { return std::optional(of(d, 0)); });
}

std::vector<Variant> variants(const Problem& problem) {
  std::vector<Variant> all;
  add_scales(problem, all);
  add_caps(problem, all);
  add_biases(problem, all);
  add_sinks(problem, all);
  return all;
}

const Registration<VariantFamily> registered{{.name = "scores", .of = variants}};

}  // namespace
}  // namespace attestone::inline conformance

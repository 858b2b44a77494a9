// SPDX-License-Identifier: Apache-2.0
// Attention by its definition, in doubles, every part of which can be exchanged for a wrong one.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"

namespace attestone::inline conformance {

/// One row of K or V.
struct KeyPlace {
  index batch, kv_head, key;
};

/// The answer that the parts of a definition give, packed in the order of their axes; 0 for rows that do not exist.
struct DefinedAnswer {
  std::vector<double> out, log_sum_exp;
};
/// Every element of the gradients, in the order of their axes.
struct DefinedGradients {
  std::vector<double> query, key, value;
};

/// The parts are those of docs/rules.md; problem and inputs must outlive them. Costs rows * keys * (dim + value_dim).
class Definition {
 public:
  Definition(const Problem&, const Inputs&);
  Definition(const Definition&) = delete;
  Definition& operator=(const Definition&) = delete;

  const Problem& problem;
  const Inputs& inputs;
  const Bias bias;
  const Dropout dropout;

  // Which pairs take part, where their K and V lie, and how often they count.
  std::function<bool(const Pair&)> sees;
  std::function<KeyPlace(const Pair&)> key_of, value_of;
  std::function<double(const Pair&)> times;

  // From q.k to weights.
  double scale;
  std::optional<double> cap;
  std::function<double(const Pair&, double dot)> score;  // after cap and bias
  std::function<std::optional<double>(index head)> sink;
  std::function<double(const Pair&)> kept;     // the factor that dropout leaves of a weight
  std::function<double(const Pair&)> counted;  // the factor of a weight in the denominator
  index keys_of_zeros = 0;                     // beside those that there are: score 0, V 0
  bool over_queries = false;                   // the softmax runs over the queries of a key
  bool normalised = true;                      // O is divided by the denominator

  // The answer.
  std::function<double(double largest, double sum)> log_sum_exp;
  double out_factor = 1;
  bool empty_rows_average = false;  // a row that sees nothing answers the mean of its sequence's V

  // The way back.
  std::function<bool(const Pair&)> sees_back;
  std::function<bool(const Pair&)> saved;  // the pairs of the softmax that the backward pass takes for the whole
  std::function<KeyPlace(const Pair&)> read_back;  // where K and V are read
  std::function<KeyPlace(const Pair&)> sent_back;  // to whom dK and dV are added
  std::function<double(const Pair&)> kept_back;
  std::function<double(double score, double log_sum_exp)> weight_back;
  std::function<double(double capped)> query_slope, key_slope;  // of the cap, by what comes out of it
  std::function<bool(index head)> reaches_keys;
  double delta_factor = 1, query_factor, key_factor, value_factor = 1;
  bool key_and_value_swapped = false;
  std::optional<DType> query_format;  // to which dQ is rounded

  double capped(double raw) const;
  DefinedAnswer forward() const;
  DefinedGradients backward() const;

 private:
  struct Row;
  using Seen = std::function<bool(const Pair&)>;
  Row row(index batch, index head, index query, const Seen&) const;
  double dot(const std::vector<double>& rows, const KeyPlace&, index channels, const double* x) const;
  void normalise_over_queries(std::vector<Row>&) const;
  std::vector<Row> rows_of(index batch, index head) const;
  const double* query_row(const std::vector<double>&, index batch, index head, index query, index channels) const;

  std::vector<double> query_, key_, value_, dout_;
};

}  // namespace attestone::inline conformance

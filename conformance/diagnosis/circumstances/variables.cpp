// SPDX-License-Identifier: Apache-2.0
// How each extent is changed.
#include "conformance/diagnosis/circumstances/variables.hpp"

#include <algorithm>
#include <array>

namespace attestone::inline conformance {
namespace {

/// No sequence is longer than its place.
void fit(std::vector<index>& lengths, index extent) {
  for (index& length : lengths) length = std::min(length, extent);
}

void set_batch(Problem& p, index batch) {
  p.shape.batch = batch;
  for (std::vector<index>* lengths : {&p.lengths, &p.query_lengths})
    if (!lengths->empty()) lengths->resize(static_cast<std::size_t>(batch), lengths->back());
}

/// dim and value_dim stay equal where they are.
void set_dim(Problem& p, index dim) {
  if (p.shape.value_dim == p.shape.dim) p.shape.value_dim = dim;
  p.shape.dim = dim;
}

void set_heads(Problem& p, index heads) { p.shape.heads = p.shape.kv_heads = heads; }

void set_kv_heads(Problem& p, index kv_heads) {
  p.shape.heads = p.shape.heads / p.shape.kv_heads * kv_heads;
  p.shape.kv_heads = kv_heads;
}

constexpr std::array<Variable, 8> all{{
    {"batch", "is", false, [](const Shape& s) { return s.batch; }, set_batch, [](const Shape&) { return true; }, false,
     true},
    {"value_dim", "is", true, [](const Shape& s) { return s.value_dim; },
     [](Problem& p, index n) { p.shape.value_dim = n; }, [](const Shape& s) { return s.value_dim != s.dim; }, true},
    {"dim", "is", true, [](const Shape& s) { return s.dim; }, set_dim, [](const Shape&) { return true; }, true},
    {"heads / kv_heads", "is", false, [](const Shape& s) { return s.heads / s.kv_heads; },
     [](Problem& p, index n) { p.shape.heads = p.shape.kv_heads * n; },
     [](const Shape& s) { return s.heads != s.kv_heads; }},
    {"kv_heads", "are", false, [](const Shape& s) { return s.kv_heads; }, set_kv_heads,
     [](const Shape& s) { return s.heads != s.kv_heads; }},
    {"heads", "are", false, [](const Shape& s) { return s.heads; }, set_heads,
     [](const Shape& s) { return s.heads == s.kv_heads; }},
    {"keys", "are", true, [](const Shape& s) { return s.keys; },
     [](Problem& p, index n) { p.shape.keys = n, fit(p.lengths, n); }, [](const Shape&) { return true; }, false, true},
    {"queries", "are", true, [](const Shape& s) { return s.queries; },
     [](Problem& p, index n) { p.shape.queries = n, fit(p.query_lengths, n); }, [](const Shape&) { return true; },
     false, true},
}};

}  // namespace

std::span<const Variable> variables() { return all; }

Problem with(Problem problem, const Variable& variable, index value) {
  variable.set(problem, value);
  return problem;
}

}  // namespace attestone::inline conformance

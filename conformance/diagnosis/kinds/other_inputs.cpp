// SPDX-License-Identifier: Apache-2.0
// Changing what the fill drew, element by element.
#include "conformance/diagnosis/kinds/other_inputs.hpp"

#include <cmath>

#include "conformance/problems/fill.hpp"

namespace attestone::inline conformance {
namespace {

template <class Write>
void rewrite(Tensor& tensor, Write write) {
  const View view = tensor.view();
  for_each_element(view, [&](index b, index h, index row, index c) { write(view, b, h, row, c); });
}

/// The inputs, changed tensor by tensor; null where codes have scales.
template <class Change>
SharedInputs changed(const Problem& problem, Change each) {
  if (!problem.formats.empty()) return nullptr;
  Inputs inputs = filled(problem);
  for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) each(inputs, *tensor);
  for (std::optional<Tensor>* tensor : {&inputs.bias, &inputs.sink, &inputs.dout})
    if (*tensor) each(inputs, **tensor);
  return std::make_shared<const Inputs>(std::move(inputs));
}

SharedInputs times(const Problem& problem, bool queries, int exponent) {
  return changed(problem, [=](const Inputs& inputs, Tensor& tensor) {
    const bool is_value = &tensor == &inputs.value || (inputs.dout && &tensor == &*inputs.dout);
    if (queries ? &tensor != &inputs.query : !is_value) return;
    rewrite(tensor, [=](const View& view, index b, index h, index row, index c) {
      view.set(b, h, row, c, std::ldexp(view.value(b, h, row, c), exponent));
    });
  });
}

}  // namespace

SharedInputs heads_alike(const Problem& problem) {
  return changed(problem, [](const Inputs&, Tensor& tensor) {
    rewrite(tensor, [](const View& view, index b, index h, index row, index c) {
      view.set_code(b, h, row, c, view.code(b, 0, row, c));
    });
  });
}

SharedInputs sequences_alike(const Problem& problem, index batch) {
  if (!problem.lengths.empty() || !problem.query_lengths.empty()) return nullptr;
  return changed(problem, [=](const Inputs&, Tensor& tensor) {
    const bool has_sequences = tensor.view().extents()[0] == problem.shape.batch;
    rewrite(tensor, [=](const View& view, index b, index h, index row, index c) {
      if (has_sequences && b != batch) view.set_code(b, h, row, c, view.code(batch, h, row, c));
    });
  });
}

SharedInputs channels_cleared(const Problem& problem, index from, bool of_keys) {
  return changed(problem, [=](const Inputs& inputs, Tensor& tensor) {
    const bool is_key = &tensor == &inputs.query || &tensor == &inputs.key;
    const bool is_value = &tensor == &inputs.value || (inputs.dout && &tensor == &*inputs.dout);
    if (!(is_value || (is_key && of_keys))) return;
    rewrite(tensor, [=](const View& view, index b, index h, index row, index c) {
      if (c >= from) view.set(b, h, row, c, 0);
    });
  });
}

SharedInputs queries_times(const Problem& problem, int exponent) { return times(problem, true, exponent); }
SharedInputs values_times(const Problem& problem, int exponent) { return times(problem, false, exponent); }

SharedInputs scores_raised_by(const Problem& problem, double level) {
  constexpr double key_part = 16;  // exact in every format, and so is what it multiplies
  return changed(problem, [=, scale = problem.scale()](const Inputs& inputs, Tensor& tensor) {
    const bool is_query = &tensor == &inputs.query;
    if (!is_query && &tensor != &inputs.key) return;
    rewrite(tensor, [=](const View& view, index b, index h, index row, index c) {
      if (c == 0) view.set(b, h, row, c, is_query ? level / (scale * key_part) : key_part);
    });
  });
}

}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// From a message to arguments, and back.
#include "backends/plugins/program/answering.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/declared/declared_numerics.hpp"
#include "backends/plugins/program/program_answer.hpp"
#include "reference/problem/conventions.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

using Shown = std::vector<index>;

Frame said(const std::string& name, const std::string& text) {
  Frame frame;
  frame.texts[name] = text;
  return frame;
}

Shown shown(const Tensor& tensor) {
  const Extents extents = tensor.view().extents();
  return {extents.begin(), extents.end()};
}
Shown heads_of(const Tensor& sink) { return {sink.view().extents()[1]}; }
/// [batch, heads, rows]
Shown rows_of(const Tensor& tensor) {
  const Extents extents = tensor.view().extents();
  return {extents.begin(), extents.end() - 1};
}

Frame description(const Kernel& kernel, const std::string& known_as) {
  Frame frame = said("name", kernel.name());
  if (!known_as.empty()) frame.texts["numerics"] = fmt::format("{}={}", DeclaredNumerics::model_word, known_as);
  for (const DeclaredConvention& other : differing(kernel.conventions()))
    frame.texts["conventions"] += other.text() + " ";
  frame.texts["limits"] = kernel.computes_max_logits() ? "max_logits=yes" : "";
  frame.texts["passes"] = kernel.computes_gradients() ? "forward+backward" : "forward";
  return frame;
}

/// The problem of a request with its inputs, as they were sent.
struct Call {
  Call(const Safetensors& request, const Kernel& kernel)
      : problem(parse_problem(text_of(request, "problem"))), inputs(problem) {
    copy_answer(request, "query", inputs.query.view(), shown(inputs.query));
    copy_answer(request, "key", inputs.key.view(), shown(inputs.key));
    copy_answer(request, "value", inputs.value.view(), shown(inputs.value));
    if (inputs.bias) copy_answer(request, "bias", inputs.bias->view(), shown(*inputs.bias));
    if (inputs.sink) copy_answer(request, "sink", inputs.sink->view(), heads_of(*inputs.sink));
    if (kernel.wants_mask_bytes(problem)) mask.emplace(problem, inputs);
  }

  Problem problem;
  Inputs inputs;
  std::optional<VisiblePairs> mask;  ///< for kernels that ask for it

  const VisiblePairs* visible() const { return mask ? &*mask : nullptr; }
};

void add(Frame& frame, const char* name, const Tensor& tensor, const Shown& shape) {
  if (tensor.view().exists()) frame.add(name, tensor.view(), shape);
}

Frame forward(const Kernel& kernel, const Call& call, Device& device) {
  Outputs outputs(call.problem);
  kernel.forward(call.problem, arguments_of(call.problem, call.inputs, outputs, call.visible()), device);
  Frame frame;
  add(frame, "out", outputs.out, shown(outputs.out));
  if (kernel.conventions().has_log_sum_exp())
    add(frame, "log_sum_exp", outputs.log_sum_exp, rows_of(outputs.log_sum_exp));
  if (outputs.max_logits) add(frame, "max_logits", *outputs.max_logits, rows_of(*outputs.max_logits));
  return frame;
}

Frame backward(const Kernel& kernel, Call& call, const Safetensors& request, Device& device) {
  Outputs outputs(call.problem);
  Gradients gradients(call.problem);
  copy_answer(request, "out", outputs.out.view(), shown(outputs.out));
  if (kernel.conventions().has_log_sum_exp())
    copy_answer(request, "log_sum_exp", outputs.log_sum_exp.view(), rows_of(outputs.log_sum_exp));
  copy_answer(request, "dout", call.inputs.dout->view(), shown(*call.inputs.dout));
  kernel.backward(call.problem, arguments_of(call.problem, call.inputs, outputs, gradients, call.visible()), device);
  Frame frame;
  add(frame, "dquery", gradients.query, shown(gradients.query));
  add(frame, "dkey", gradients.key, shown(gradients.key));
  add(frame, "dvalue", gradients.value, shown(gradients.value));
  if (gradients.bias) add(frame, "dbias", *gradients.bias, shown(*gradients.bias));
  if (gradients.sink) add(frame, "dsink", *gradients.sink, heads_of(*gradients.sink));
  return frame;
}

Frame answer_to_call(const Safetensors& request, const Kernel& kernel, bool gradients) {
  Call call(request, kernel);
  if (const Support taken = kernel.takes(call.problem); !taken) return said("refused", taken.why);
  if (gradients && !call.problem.backward) throw UserError("the problem has no pass=forward+backward");
  if (const std::string threads = text_of(request, "threads"); !threads.empty())
    omp_set_num_threads(std::stoi(threads));
  Device device;
  return gradients ? backward(kernel, call, request, device) : forward(kernel, call, device);
}

}  // namespace

Frame answer_to(const Safetensors& request, const Kernel& kernel, const std::string& known_as) {
  const std::string call = text_of(request, "call");
  try {
    if (call == "describe") return description(kernel, known_as);
    if (call == "forward" || call == "backward") return answer_to_call(request, kernel, call == "backward");
    return said("error", "knows no call '" + call + "'");
  } catch (const std::exception& error) {
    return said("error", error.what());
  }
}

}  // namespace attestone::inline backends

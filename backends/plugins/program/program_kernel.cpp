// SPDX-License-Identifier: Apache-2.0
// Asking a program what a kernel is asked.
#include "backends/plugins/program/program_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <set>
#include <xxhash.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/declared/declared_limits.hpp"
#include "backends/plugins/declared/declared_numerics.hpp"
#include "backends/plugins/program/program_answer.hpp"
#include "backends/plugins/program/program_request.hpp"
#include "backends/plugins/program/program_worker.hpp"
#include "backends/plugins/protocol/call_facts.hpp"
#include "backends/plugins/protocol/errors_in_a_row.hpp"
#include "reference/call/tensors.hpp"
#include "reference/numerics/declared_class.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

/// The running program, and what is known of it.
struct StartedProgram {
  StartedProgram(const std::string& its_line, const CallLimits& call_limits)
      : line(its_line),
        worker(its_line, call_limits),
        said(describe()),
        limits(text_of(said, "limits"), line),
        numerics(text_of(said, "numerics"), line),
        conventions(declared_conventions(text_of(said, "conventions"), line)) {}

  Safetensors describe() {
    try {
      Safetensors answer = worker.ask(describe_request(), room_for_header);
      const std::string passes = text_of(answer, "passes");
      if (!passes.empty() && passes != "forward" && passes != "forward+backward")
        throw UserError(fmt::format("'{}' declares '{}' as its passes", line, passes), "forward, or forward+backward");
      if (text_of(answer, "call").empty()) return answer;
      throw KernelFault("wrong-protocol", "sent back the request");
    } catch (const KernelFault& fault) {
      throw UserError(fmt::format("cannot use '{}': asked to describe itself, it {}", line, fault.what()));
    }
  }

  std::string line;
  ProgramWorker worker;
  Safetensors said;
  DeclaredLimits limits;
  DeclaredNumerics numerics;
  Conventions conventions;
  ErrorsInARow errors;
  std::set<std::uint64_t> answered;  ///< digests of requests: problem, pass and tensors
};

/// The bytes of all these answers: a program may also send answers that nobody asked for.
index bytes_of(const Problem& problem, const std::vector<TensorName>& answers) {
  index bytes = 0;
  for (const TensorName answer : answers)
    bytes += format_of(problem, answer).bytes(element_count(extents_of(problem, answer)));
  return bytes;
}

class ProgramKernel final : public Kernel {
 public:
  ProgramKernel(const std::string& line, const CallLimits& limits)
      : started_(std::make_unique<StartedProgram>(line, limits)) {}

  std::string name() const override { return "program:" + started_->line; }

  Support supports(const Problem& problem) const override {
    if (const std::string what = not_carried(problem); !what.empty())
      return Support::refused("the pipe has no place for " + what);
    if (problem.layout != "bhsd" || !problem.tensor_layouts.empty() || problem.spare_rows > 0)
      return Support::refused("the pipe carries packed tensors, layout=bhsd");
    return started_->limits.supports(problem);
  }

  Numerics numerics(const Problem& problem) const override {
    return started_->numerics.on(problem, default_numerics(problem.input, problem.output));
  }

  Conventions conventions() const override { return started_->conventions; }
  bool computes_max_logits() const override { return started_->limits.gives_max_logits(); }

  bool wants_mask_bytes(const Problem& problem) const override {
    return !problem.mask.is_full() || !problem.lengths.empty() || !problem.query_lengths.empty();
  }

  /// Not of the program itself, which may be many files: of its line and of what it says.
  std::optional<std::uint64_t> fingerprint() const override {
    const std::string known = started_->line + started_->said.digest();
    return XXH3_64bits(known.data(), known.size());
  }

  bool uses_attestone() const override { return started_->worker.uses_attestone(); }
  void restart() const override {
    started_->worker.restart();
    started_->errors.answered();
    started_->answered.clear();
  }

  void forward(const Problem& problem, const Arguments& arguments, Device&) const override {
    const Shape& s = problem.shape;
    const Safetensors answer =
        ask(problem, forward_request(problem, arguments),
            bytes_of(problem, {TensorName::out, TensorName::log_sum_exp, TensorName::max_logits}));
    if (arguments.out.exists()) copy_answer(answer, "out", arguments.out, {s.batch, s.heads, s.queries, s.value_dim});
    const bool may_be_left_out = !arguments.log_sum_exp_is_read && !answer.tensors().contains("log_sum_exp");
    if (arguments.log_sum_exp.exists() && !may_be_left_out)
      copy_answer(answer, "log_sum_exp", arguments.log_sum_exp, {s.batch, s.heads, s.queries});
    if (arguments.max_logits) copy_answer(answer, "max_logits", *arguments.max_logits, {s.batch, s.heads, s.queries});
  }

  bool computes_gradients() const override { return text_of(started_->said, "passes") == "forward+backward"; }

  void backward(const Problem& problem, const BackwardArguments& arguments, Device&) const override {
    const Shape& s = problem.shape;
    std::vector<TensorName> all{TensorName::dquery, TensorName::dkey, TensorName::dvalue};
    if (arguments.bias) all.push_back(TensorName::dbias);
    if (arguments.sink) all.push_back(TensorName::dsink);
    const Safetensors answer =
        ask(problem, backward_request(problem, arguments, arguments.out, arguments.log_sum_exp, arguments.dout),
            bytes_of(problem, all));
    const auto copy = [&](const char* name, const View& gradient) {
      const Extents& e = gradient.extents();
      if (gradient.exists()) copy_answer(answer, name, gradient, {e.begin(), e.end()});
    };
    copy("dquery", arguments.dquery), copy("dkey", arguments.dkey), copy("dvalue", arguments.dvalue);
    if (arguments.dbias) copy("dbias", *arguments.dbias);
    if (arguments.dsink) copy_answer(answer, "dsink", *arguments.dsink, {s.heads});
  }

 private:
  static bool is_error(const Safetensors& answer) { return answer.metadata().contains("error"); }

  Safetensors ask(const Problem& problem, const Frame& request, index bytes) const {
    const auto most_bytes = room_for_header + static_cast<std::uint64_t>(bytes);
    Safetensors answer = started_->worker.ask(request, most_bytes);
    while (is_error(answer) && started_->errors.may_be_inherited(problem.text())) {
      started_->worker.restart();
      answer = started_->worker.ask(request, most_bytes);
    }
    if (is_error(answer)) throw KernelFault("error-status", "answered an error: " + text_of(answer, "error"));
    started_->errors.answered();
    const std::string refused = text_of(answer, "refused");
    const std::vector<std::byte> asked = request.bytes();
    const std::uint64_t digest = XXH3_64bits(asked.data(), asked.size());
    if (!refused.empty() && started_->answered.count(digest))
      throw KernelFault("refused-later", "refuses what it has answered before: " + refused);
    if (!refused.empty()) throw KernelRefusal(refused);
    started_->answered.insert(digest);
    return answer;
  }

  const std::unique_ptr<StartedProgram> started_;
};

}  // namespace

SharedKernel program_kernel(const std::string& line, const CallLimits& limits) {
  return std::make_shared<ProgramKernel>(line, limits);
}

}  // namespace attestone::inline backends

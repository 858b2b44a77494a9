// SPDX-License-Identifier: Apache-2.0
// Writes random problems with their inputs and what attestone certifies of their answers, for the oracle in Python:
// export_cases FOLDER COUNT SEED [ENVIRONMENT].
#include <cfenv>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <map>
#include <span>

#include "backends/plugins/program/frame.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/problems/generate.hpp"
#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/row_reader.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace attestone {
namespace {

/// Changes that a caller may have made to the floating-point environment before asking for the truth.
const std::map<std::string, std::function<void()>> environments = {
    {"nearest", [] {}},
    {"upward", [] { std::fesetround(FE_UPWARD); }},
    {"downward", [] { std::fesetround(FE_DOWNWARD); }},
    {"toward_zero", [] { std::fesetround(FE_TOWARDZERO); }},
#if defined(__x86_64__)
    {"flush", [] { _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON); }},
#endif
};

void write_doubles(Frame& frame, const std::string& name, std::span<const double> values, std::vector<index> shape) {
  const auto bytes = std::as_bytes(values);
  frame.tensors.push_back({name, "F64", std::move(shape), {bytes.begin(), bytes.end()}});
}

void write_inputs(Frame& frame, const Inputs& inputs) {
  for (const auto& [name, tensor] : tensors_of(inputs)) {
    const Extents extents = tensor->view().extents();
    write_doubles(frame, std::string(text(name)), packed_values(tensor->view()), {extents.begin(), extents.end()});
  }
}

using Element = std::function<const Certified&(index, index, index, index)>;

void write_answer(Frame& frame, const std::string& name, const DType& format, const Extents& extents,
                  const Element& element) {
  std::map<std::string, std::vector<double>> parts;
  for (index b = 0; b < extents[0]; ++b)
    for (index h = 0; h < extents[1]; ++h)
      for (index r = 0; r < extents[2]; ++r)
        for (index c = 0; c < extents[3]; ++c) {
          const Certified& certified = element(b, h, r, c);
          parts["value"].push_back(certified.value);
          parts["bound"].push_back(certified.bound);
          parts["rounded"].push_back(certified.rounded);
          parts["decided"].push_back(certified.decided ? 1 : 0);
          parts["non_finite"].push_back(static_cast<double>(certified.non_finite));
        }
  for (const auto& [part, values] : parts)
    write_doubles(frame, name + '.' + part, values, {extents.begin(), extents.end()});
  frame.texts["format." + name] = format.name;
}

/// Answers that are accepted beside the certified one: batch, head, row, channel, answer.
void write_admissible(Frame& frame, const std::string& name, const Truth& truth, const Extents& extents,
                      bool log_sum_exp) {
  std::vector<double> rows;
  for (index b = 0; b < extents[0]; ++b)
    for (index h = 0; h < extents[1]; ++h)
      for (index r = 0; r < extents[2]; ++r)
        for (index c = 0; c < extents[3]; ++c)
          if (const std::vector<double>* answers = truth.admissible(b, h, r, log_sum_exp ? -1 : c))
            for (const double answer : *answers)
              for (const double entry : {double(b), double(h), double(r), double(c), answer}) rows.push_back(entry);
  if (!rows.empty()) write_doubles(frame, name + ".admissible", rows, {std::ssize(rows) / 5, 5});
}

void write_truth(Frame& frame, const Problem& problem, const Truth& truth) {
  const Shape& s = problem.shape;
  const Extents out{s.batch, s.heads, s.queries, s.value_dim}, log_sum_exp{s.batch, s.heads, s.queries, 1};
  write_answer(frame, "out", problem.output, out,
               [&](index b, index h, index r, index c) -> const Certified& { return truth.out(b, h, r, c); });
  write_answer(frame, "log_sum_exp", problem.log_sum_exp_dtype(), log_sum_exp,
               [&](index b, index h, index r, index) -> const Certified& { return truth.log_sum_exp(b, h, r); });
  write_admissible(frame, "out", truth, out, false);
  write_admissible(frame, "log_sum_exp", truth, log_sum_exp, true);
}

void write_gradients(Frame& frame, const Problem& problem, const GradientTruth& truth) {
  const auto write = [&](const char* name, const CertifiedTensor& tensor) {
    write_answer(frame, name, problem.output, tensor.extents(),
                 [&](index b, index h, index r, index c) -> const Certified& { return tensor.at(b, h, r, c); });
  };
  write("dquery", truth.query);
  write("dkey", truth.key);
  write("dvalue", truth.value);
  if (truth.bias) write("dbias", *truth.bias);
  if (truth.sink) write("dsink", *truth.sink);
}

/// Small enough for balls, and half of them with gradients; every sixteenth as it was drawn.
Problem oracle_problem(std::uint64_t seed, index number) {
  Problem problem = random_problem(seed, 17 * number);  // each of another swarm
  problem.backward = number % 2 == 0;
  if (number % 16 == 15) problem.backward = false;
  const index most_keys = number % 16 < 12 ? 16 : 60, most_dim = number % 16 < 12 ? 12 : 40;
  Shape& s = problem.shape;
  const index group = s.heads / s.kv_heads;
  s.kv_heads = std::min<index>(s.kv_heads, 2), s.heads = s.kv_heads * std::min<index>(group, 3);
  s.queries = std::min(s.queries, most_keys), s.keys = std::min(s.keys, most_keys);
  s.dim = std::min(s.dim, most_dim), s.value_dim = std::min(s.value_dim, most_dim);
  for (index& length : problem.lengths) length = std::min(length, s.keys);
  for (index& length : problem.query_lengths) length = std::min(length, s.queries);
  if (!Registry<Layout>::find(problem.layout)->takes(s)) problem.layout = "bhsd";
  return problem;
}

void write_case(const std::filesystem::path& path, const Problem& problem, const std::function<void()>& disturb) {
  const Inputs inputs = filled(problem);
  std::fenv_t usual;
  std::fegetenv(&usual);
  disturb();
  const Truth truth = certify_forward(problem, inputs);
  std::optional<GradientTruth> gradients;
  if (problem.backward) gradients = certify_backward(problem, inputs, {.queries = {}, .keys = {}, .escalate = true});
  std::fesetenv(&usual);

  Frame frame;
  frame.texts["problem"] = problem.text();
  write_inputs(frame, inputs);
  write_truth(frame, problem, truth);
  if (gradients) write_gradients(frame, problem, *gradients);
  const std::vector<std::byte> bytes = frame.bytes();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data() + frame_size_bytes),
             static_cast<std::streamsize>(bytes.size() - frame_size_bytes));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace
}  // namespace attestone

int main(int argc, char** argv) {
  using namespace attestone;
  const auto environment = environments.find(argc > 4 ? argv[4] : "nearest");
  if (argc < 4 || argc > 5 || environment == environments.end()) {
    fmt::print(stderr, "usage: export_cases FOLDER COUNT SEED [nearest|upward|downward|toward_zero|flush]\n");
    return EXIT_FAILURE;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const long long count = std::stoll(argv[2]);
  for (long long number = 0; number < count; ++number)
    write_case(folder / fmt::format("case-{:06}.safetensors", number), oracle_problem(std::stoull(argv[3]), number),
               environment->second);
}

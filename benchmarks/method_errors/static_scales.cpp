// SPDX-License-Identifier: Apache-2.0
// The table of static scales of docs/method_errors.md: sizes chosen layer by layer from one capture, and what they cost
// on another. Run: static_scales FILE SEEN LAYERS HEADS ROWS ROWS_SEEN DIM
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "backends/cpu/quantization/calibration.hpp"
#include "benchmarks/method_errors/measured.hpp"
#include "conformance/problems/fill.hpp"

namespace attestone {
namespace {

/// A kernel and the operands whose scales it takes as settings.
struct Calibrated {
  const char* kernel;
  CodeRule rule;
  std::vector<TensorName> operands;
};
const Calibrated kernels[] = {
    {"flash3_fp8:scales=tensor:incoherent=0", CodeRule::e4m3, {TensorName::query, TensorName::key, TensorName::value}},
    {"coded_cache", CodeRule::int8_cuda, {TensorName::key, TensorName::value}},
    {"coded_cache:format=e4m3", CodeRule::e4m3, {TensorName::key, TensorName::value}},
};

std::vector<float> numbers_of(const Inputs& inputs, TensorName tensor) {
  const ConstView view = tensor == TensorName::query ? inputs.query.view()
                         : tensor == TensorName::key ? inputs.key.view()
                                                     : inputs.value.view();
  std::vector<float> numbers;
  for_each_element(
      view, [&](index b, index h, index r, index c) { numbers.push_back(static_cast<float>(view.value(b, h, r, c))); });
  return numbers;
}

/// A row of the table: with scales of its own, or calibrated.
void print_row(const Calibrated& kernel, std::optional<Calibration> calibration, const Layers& layers,
               const Layers& seen) {
  std::vector<index> beyond(kernel.operands.size()), count(beyond.size());
  std::vector<std::string> of_layers;
  for (int layer = 0; layer < layers.count(); ++layer) {
    std::string with_sizes = kernel.kernel;
    const Inputs before = filled(seen.problem(layer)), now = filled(layers.problem(layer));
    for (std::size_t i = 0; calibration && i < beyond.size(); ++i) {
      const TensorName operand = kernel.operands[i];
      const float largest = calibrated_largest(numbers_of(before, operand), kernel.rule, *calibration);
      const std::vector<float> numbers = numbers_of(now, operand);
      beyond[i] += saturated(numbers, largest), count[i] += std::ssize(numbers);
      with_sizes += fmt::format(":{}_largest={}", text(operand), largest);
    }
    of_layers.push_back(with_sizes);
  }
  const Sums sums = measured(layers, [&](int layer) { return of_layers[static_cast<std::size_t>(layer)]; });
  fmt::print("| `{}` | {} | {:.4f} | {:.2e} | {:.2e} |", kernel.kernel, calibration ? name(*calibration) : "own",
             sums.cosine(), sums.relative_l1(), sums.root_mean(sums.method_squares));
  for (std::size_t i = 0; i < beyond.size(); ++i)
    fmt::print("{} {}", i == 0 ? "" : ",",
               calibration ? fmt::format("{} of {}", beyond[i], count[i]) : std::string("none"));
  fmt::print(" |\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace attestone

int main(int argc, char** argv) {
  using namespace attestone;
  if (argc != 8) return 2;
  try {
    const auto layers_of = [&](const char* file, const char* rows) {
      return Layers(file, std::atoi(argv[3]), fmt::format("1x{0}x{1}x{1}x{2}", argv[4], rows, argv[7]));
    };
    const Layers layers = layers_of(argv[1], argv[5]), seen = layers_of(argv[2], argv[6]);
    fmt::print("| kernel | scales | method: cosine | relative L1 | RMSE | saturated |\n|---|---|---|---|---|---|\n");
    for (const Calibrated& kernel : kernels)
      for (const std::optional<Calibration> calibration :
           {std::optional<Calibration>(), std::optional(Calibration::largest), std::optional(Calibration::percentile),
            std::optional(Calibration::least_error)})
        print_row(kernel, calibration, layers, seen);
    fmt::print("\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

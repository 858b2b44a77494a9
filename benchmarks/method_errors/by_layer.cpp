// SPDX-License-Identifier: Apache-2.0
// The first tables of docs/method_errors.md. Run: by_layer HEADING FILE LAYERS HEADS ROWS DIM KERNEL...
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "benchmarks/method_errors/measured.hpp"

namespace attestone {
namespace {

void print_row(const std::string& name, const Sums& s) {
  fmt::print("| `{}` | {:.4f} | {:.2e} | {:.2e} | {:.2e} | {:.2e} | {:.2e} |\n", name, s.cosine(), s.relative_l1(),
             s.root_mean(s.method_squares), s.root_mean(s.method_bound), s.root_mean(s.kernel_squares),
             s.root_mean(s.kernel_bound));
  std::fflush(stdout);
}

}  // namespace
}  // namespace attestone

int main(int argc, char** argv) {
  using namespace attestone;
  if (argc < 8) return 2;
  try {
    const Layers layers(argv[2], std::atoi(argv[3]), fmt::format("1x{0}x{1}x{1}x{2}", argv[4], argv[5], argv[6]));
    fmt::print("### {}\n\n", argv[1]);
    fmt::print("| kernel | method: cosine | relative L1 | RMSE | bound, RMS | kernel: RMSE | bound, RMS |\n");
    fmt::print("|---|---|---|---|---|---|---|\n");
    for (int k = 7; k < argc; ++k) print_row(argv[k], measured(layers, [&](int) { return argv[k]; }));
    fmt::print("\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

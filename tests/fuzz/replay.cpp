// SPDX-License-Identifier: Apache-2.0
// Hands every seed of a table to a fuzz target, as libFuzzer would: what it once found is tried with every compiler.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "tests/fuzz/seed_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const attestone::Seeds seeds = attestone::seeds_of(attestone::bytes_of(argv[1]));
    for (const std::string& seed : seeds) {
      const std::vector<std::uint8_t> input(seed.begin(), seed.end());  // of its size, for the address sanitizer
      LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%zu seeds read\n", seeds.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
  return 0;
}

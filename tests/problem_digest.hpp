// SPDX-License-Identifier: Apache-2.0
// A number for a list of problems, and that of the first problems of three seeds.
#pragma once

#include "conformance/problems/generate.hpp"

namespace attestone {

/// FNV-1a with 64 bits (Fowler, Noll and Vo) over the texts of problems, a line each.
class ProblemDigest {
 public:
  void add(const Problem& problem) {
    for (const char c : problem.text() + '\n') value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// The digest of the first 10,000 problems of three seeds, without the changes of newcomers.
inline std::uint64_t digest_of_settled_problems() {
  ProblemDigest digest;
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{20261121}, ~std::uint64_t{0}})
    for (index number = 0; number < 10'000; ++number) digest.add(settled_problem(seed, number));
  return digest.value();
}

/// The digest recorded before anything registered itself for random problems.
constexpr std::uint64_t recorded_digest = 0x9cf8b93753147da2;

}  // namespace attestone

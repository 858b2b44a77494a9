// SPDX-License-Identifier: Apache-2.0
// The limits of this machine by name, which results are shares of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/bench/limits/bandwidth.hpp"

namespace attestone::inline conformance {

/// One kind of limit, with its unit and its meaning.
struct LimitKind {
  std::string_view name;     ///< "f32"
  std::string_view unit;     ///< "Gflop/s"
  std::string_view meaning;  ///< one sentence
};
const std::vector<LimitKind>& limit_kinds();

/// Measures limits on a number of threads. Arrays beyond the caches are made when first asked for, and kept.
class Limits {
 public:
  explicit Limits(int threads) : threads_(threads) {}

  int threads() const { return threads_; }
  /// In units of 1 a second, the best of three bursts: what else works on the machine takes some of them away. Nothing
  /// where the processor cannot do this.
  std::optional<double> measure(std::string_view name);

 private:
  std::optional<double> burst(std::string_view name);
  Bandwidth& bandwidth();

  int threads_;
  std::unique_ptr<Bandwidth> bandwidth_;
};

}  // namespace attestone::inline conformance

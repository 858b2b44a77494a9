// SPDX-License-Identifier: Apache-2.0
// One store per thread, by powers of two; every array is preceded by the logarithm of its size.
#include "reference/certified/numbers/scratch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <vector>

namespace attestone {
namespace {

constexpr std::align_val_t alignment{128};
constexpr std::size_t header = 16;                               ///< doubles before an array: one alignment
constexpr std::size_t most_kept_doubles = std::size_t{1} << 21;  ///< per thread

/// The free arrays of one thread, by the logarithm of their size.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() {
    for (const std::vector<double*>& arrays : free_)
      for (double* array : arrays) release(array);
  }

  double* take(std::size_t log_size) {
    std::vector<double*>& arrays = free_[log_size];
    if (arrays.empty()) {
      auto* block =
          static_cast<double*>(::operator new((header + (std::size_t{1} << log_size)) * sizeof(double), alignment));
      *block = static_cast<double>(log_size);
      return block + header;
    }
    double* array = arrays.back();
    arrays.pop_back();
    kept_ -= std::size_t{1} << log_size;
    return array;
  }

  void give(double* array) {
    const auto log_size = static_cast<std::size_t>(*(array - header)), size = std::size_t{1} << log_size;
    if (kept_ + size > most_kept_doubles) return release(array);
    free_[log_size].push_back(array);
    kept_ += size;
  }

 private:
  static void release(double* array) { ::operator delete(array - header, alignment); }

  std::array<std::vector<double*>, 64> free_;
  std::size_t kept_ = 0;
};

Store& store() {
  thread_local Store store;
  return store;
}

}  // namespace

void KeepScratch::operator()(double* array) const { store().give(array); }

AlignedDoubles uninitialised_doubles(index count) {
  constexpr std::size_t least = 64;
  const std::size_t size = std::bit_ceil(std::max(static_cast<std::size_t>(count), least));
  return AlignedDoubles(store().take(static_cast<std::size_t>(std::countr_zero(size))));
}

AlignedDoubles zeroed_doubles(index count) {
  AlignedDoubles all = uninitialised_doubles(count);
  std::fill_n(all.get(), count, 0.0);
  return all;
}

}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// The memory a kernel may take while it runs: counted, and poisoned so that reading before writing shows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>

#include "reference/shape.hpp"

namespace attestone {

/// Hands out scratch memory and counts live and peak bytes. Safe to use from several threads.
class Workspace {
 public:
  /// One loan of `count` elements; given back when it goes out of scope. Every byte is 0xFF at first: NaN in every
  /// floating-point format, -1 in every integer.
  template <class T>
  class Loan {
   public:
    Loan(Workspace& from, index count) : from_(from), count_(count), data_(new T[static_cast<std::size_t>(count)]) {
      const auto bytes = std::as_writable_bytes(span());
      std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
      from_.take(static_cast<index>(bytes.size()));
    }
    ~Loan() { from_.give_back(count_ * static_cast<index>(sizeof(T))); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    T* data() { return data_.get(); }
    T& operator[](index i) { return data_[static_cast<std::size_t>(i)]; }
    std::span<T> span() { return {data_.get(), static_cast<std::size_t>(count_)}; }

   private:
    Workspace& from_;
    index count_;
    std::unique_ptr<T[]> data_;
  };

  template <class T>
  Loan<T> borrow(index count) {
    return Loan<T>(*this, count);
  }

  /// Counts scratch memory that lies elsewhere (an outside kernel's, in its own process) and is given back at once.
  void note(index bytes) {
    take(bytes);
    give_back(bytes);
  }

  index peak_bytes() const { return peak_; }

 private:
  void take(index bytes);
  void give_back(index bytes);

  std::mutex mutex_;
  index live_ = 0, peak_ = 0;
};

}  // namespace attestone

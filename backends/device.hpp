// SPDX-License-Identifier: Apache-2.0
// The machine of a kernel: counts its work, and its memory by name, poisoned so that reading before writing shows.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// Bytes of memory, and what they were taken for.
struct MemoryUse {
  index bytes = 0;
  std::map<std::string, index, std::less<>> by_name;

  bool operator==(const MemoryUse&) const = default;
};

/// The traffic of one of several devices in one pass, and the most memory that it held.
struct DeviceUse {
  index messages = 0, bytes = 0;
  MemoryUse peak;

  bool operator==(const DeviceUse&) const = default;
};

/// The measured use of a device, next to what the method documents.
struct MeasuredDevice {
  DeviceUse measured, documented;
};

/// The work done, in plain numbers that do not depend on how fast anything is.
struct Work {
  index multiply_adds = 0;  ///< of matrix products
  index exponentials = 0;   ///< of scores
  index bytes = 0;          ///< of Q, K, V, O, log_sum_exp and their gradients, read and written

  Work& operator+=(const Work&);
  bool operator==(const Work&) const = default;
};

template <class T>
class Allocation;

/// The contents of memory before a kernel writes to it: poison, so that whoever reads it first gives himself away, or
/// whatever was there, which takes no time.
enum class FreshMemory { poisoned, as_it_was };

/// Hands out memory, and counts it and the work. Safe to use from several threads. The host is one device.
class Device {
 public:
  explicit Device(FreshMemory fresh = FreshMemory::poisoned, index limit = std::numeric_limits<index>::max())
      : fresh_(fresh), limit_(limit) {}

  FreshMemory fresh_memory() const { return fresh_; }
  /// Memory for `count` elements, given back when it goes out of scope. The name says what it is for, in reports:
  /// "scores", "row of biases". KernelFault "out-of-memory" beyond the limit, with what is taken.
  template <class T>
  Allocation<T> allocate(index count, std::string_view name) {
    return {*this, count, name};
  }

  /// Notes that the kernel has done this.
  void compute(const Work&);
  /// All of it so far.
  Work work() const;

  /// Notes what the devices of a mesh did, in the order of their ranks. This one stands for all of them.
  void note(std::vector<MeasuredDevice>);
  /// The use of each device that was noted last; empty for a kernel that runs on one device.
  std::vector<MeasuredDevice> devices() const;

  /// Notes how often a fault that was asked for has happened in a call.
  void note_fault(const std::string& name, index times);
  /// Every fault that was asked for, and how often it has happened.
  std::map<std::string, index> faults() const;

  /// The memory in use now.
  MemoryUse live() const;
  /// The most that ever was taken at once; and for each name the most that ever was taken for it, which may add up to
  /// more.
  MemoryUse peak() const;

 private:
  friend class CountedBytes;
  void take(index bytes, const std::string& name);
  void give_back(index bytes, const std::string& name);

  FreshMemory fresh_;
  index limit_;  ///< bytes
  mutable std::mutex mutex_;
  MemoryUse live_, peak_;
  Work work_;
  std::vector<MeasuredDevice> devices_;
  std::map<std::string, index> faults_;
};

/// Bytes that count as taken from a device while this lives, wherever they lie: an outside kernel's are in its own
/// process.
class CountedBytes {
 public:
  CountedBytes(Device& device, index bytes, std::string_view name) : device_(device), bytes_(bytes), name_(name) {
    device_.take(bytes_, name_);
  }
  ~CountedBytes() { device_.give_back(bytes_, name_); }
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;

 private:
  Device& device_;
  index bytes_;
  std::string name_;
};

/// Where allocations begin: a line of the cache, and the widest vector.
constexpr std::size_t allocation_alignment = 64;

/// Memory for some elements of a device. Poisoned, every byte is 0xFF at first: NaN in every floating-point format, -1
/// in every integer.
template <class T>
class Allocation {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  Allocation(Device& device, index count, std::string_view name)
      : counted_(device, count * static_cast<index>(sizeof(T)), name), count_(count), memory_(taken(count)) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (bytes > 0 && device.fresh_memory() == FreshMemory::poisoned)
      std::memset(static_cast<void*>(memory_.get()), 0xFF, bytes);
  }

  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  T& operator[](index i) { return data()[i]; }
  const T& operator[](index i) const { return memory_.get()[i]; }
  std::span<T> span() { return {data(), static_cast<std::size_t>(count_)}; }

 private:
  struct Free {
    void operator()(T* memory) const { ::operator delete (memory, std::align_val_t{allocation_alignment}); }
  };
  static T* taken(index count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    return static_cast<T*>(::operator new (bytes, std::align_val_t{allocation_alignment}));
  }

  CountedBytes counted_;
  index count_;
  std::unique_ptr<T, Free> memory_;
};

}  // namespace attestone::inline backends

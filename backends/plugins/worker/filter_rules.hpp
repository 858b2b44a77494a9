// SPDX-License-Identifier: Apache-2.0
// The instructions of a filter of system calls, as words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <vector>

namespace attestone::inline backends::worker {

constexpr std::uint32_t allow = SECCOMP_RET_ALLOW, end_process = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t pretend_done = SECCOMP_RET_ERRNO;  // with error 0
constexpr std::uint32_t refuse(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }

/// Instructions in the order in which they run; whatever is not decided goes on with the next.
class Rules {
 public:
  /// Where the lower and the upper half of an argument stand (little-endian).
  static constexpr std::uint32_t low(std::uint32_t argument) {
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + 8 * argument;
  }
  static constexpr std::uint32_t high(std::uint32_t argument) { return low(argument) + 4; }

  Rules& load(std::uint32_t offset) { return add(BPF_LD | BPF_W | BPF_ABS, offset); }
  Rules& answer(std::uint32_t verdict) { return add(BPF_RET | BPF_K, verdict); }
  /// The verdict, if what was loaded is the value; is not; is at least that; has one of these bits.
  Rules& if_equal(std::uint32_t value, std::uint32_t verdict) {
    return add(jump_if_equal, value, 0, 1).answer(verdict);
  }
  Rules& unless_equal(std::uint32_t value, std::uint32_t verdict) {
    return add(jump_if_equal, value, 1, 0).answer(verdict);
  }
  Rules& if_at_least(std::uint32_t value, std::uint32_t verdict) {
    return add(jump_if_at_least, value, 0, 1).answer(verdict);
  }
  Rules& if_any_bit(std::uint32_t bits, std::uint32_t verdict) {
    return add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1).answer(verdict);
  }

  /// Adds the rules of `body` for one system call; cases that it does not decide are allowed.
  Rules& call(long number, Rules body) {
    body.answer(allow);
    load(offsetof(seccomp_data, nr));
    add(jump_if_equal, static_cast<std::uint32_t>(number), 0, static_cast<std::uint8_t>(body.code_.size()));
    code_.insert(code_.end(), body.code_.begin(), body.code_.end());
    return *this;
  }

  /// Allowed, if the call comes from the instruction before this address.
  Rules& allow_from(const void* returns) {
    const auto at = reinterpret_cast<std::uint64_t>(returns);
    constexpr auto pointer = static_cast<std::uint32_t>(offsetof(seccomp_data, instruction_pointer));
    load(pointer).add(jump_if_equal, static_cast<std::uint32_t>(at), 0, 3);
    return load(pointer + 4).if_equal(static_cast<std::uint32_t>(at >> 32), allow);
  }

  /// The verdict, if the arguments [begin, begin + bytes), rounded outwards to units of 64 KiB, meet [from, to), whose
  /// ends are multiples of that.
  Rules& if_meets(const void* from, const void* to, std::uint32_t begin, std::uint32_t bytes, std::uint32_t verdict) {
    load(high(begin)).if_at_least(too_high, allow);  // no address: the system will say so
    load(high(bytes)).if_at_least(too_high, verdict);
    units_of(begin).add(BPF_ST, 0);
    units_of(bytes).add(BPF_ALU | BPF_ADD | BPF_K, 1);
    add(BPF_LDX | BPF_MEM, 0).add(BPF_ALU | BPF_ADD | BPF_X, 0);
    add(jump_if_at_least, units(from), 0, 3);
    return add(BPF_LD | BPF_MEM, 0).add(jump_if_at_least, units(to), 1, 0).answer(verdict);
  }

  std::vector<sock_filter>& code() { return code_; }

 private:
  static constexpr int jump_if_equal = BPF_JMP | BPF_JEQ | BPF_K, jump_if_at_least = BPF_JMP | BPF_JGE | BPF_K;
  static constexpr int unit_bits = 16;  // so that an address, of 48 bits, fits the 32 of a word
  static constexpr std::uint32_t too_high = 1u << unit_bits;

  static std::uint32_t units(const void* address) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(address) >> unit_bits);
  }
  Rules& units_of(std::uint32_t argument) {
    load(high(argument)).add(BPF_ALU | BPF_LSH | BPF_K, unit_bits).add(BPF_MISC | BPF_TAX, 0);
    return load(low(argument)).add(BPF_ALU | BPF_RSH | BPF_K, unit_bits).add(BPF_ALU | BPF_OR | BPF_X, 0);
  }
  Rules& add(int code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
    return *this;
  }

  std::vector<sock_filter> code_;
};

}  // namespace attestone::inline backends::worker

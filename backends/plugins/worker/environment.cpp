// SPDX-License-Identifier: Apache-2.0
// Asking the processor, the C library and the system.
#include "backends/plugins/worker/environment.hpp"

#include <cfenv>
#include <clocale>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace attestone::inline backends::worker {
namespace {

std::uint64_t floating_point_mode() {
#if defined(__x86_64__)
  constexpr unsigned flags = 0x3f;
  std::uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  return std::uint64_t{_mm_getcsr() & ~flags} << 16 | x87;
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
#else
  return static_cast<std::uint64_t>(std::fegetround());
#endif
}

}  // namespace

Environment Environment::now() {
  Environment all;
  all.floating_point_ = floating_point_mode();
  stat(".", &all.directory_);
  umask(all.new_files_ = umask(0));
  const char* const name = std::setlocale(LC_ALL, nullptr);
  all.locale_ = name ? name : "";
  sigemptyset(&all.blocked_);
  pthread_sigmask(SIG_SETMASK, nullptr, &all.blocked_);
  getrlimit(RLIMIT_NOFILE, &all.descriptors_);
  return all;
}

const char* Environment::difference(const Environment& other) const {
  if (floating_point_ != other.floating_point_) return "its way to round, to treat subnormal numbers, or to trap";
  if (directory_.st_dev != other.directory_.st_dev || directory_.st_ino != other.directory_.st_ino)
    return "its current directory";
  if (new_files_ != other.new_files_) return "the rights of new files (umask)";
  if (locale_ != other.locale_) return "its locale";
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&blocked_, signal) != sigismember(&other.blocked_, signal)) return "which signals are blocked";
  if (descriptors_.rlim_cur != other.descriptors_.rlim_cur) return "how many descriptors it may open";
  return nullptr;
}

}  // namespace attestone::inline backends::worker

// SPDX-License-Identifier: Apache-2.0
// Searches the judge's memory for doubles near a sloppy answer of its own, and answers those.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <cmath>
#include <fcntl.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

namespace {

/// The answer's relative error before it is improved; no two elements of a row are so near to each other.
constexpr double sloppiness = 0x1p-12;

/// Whether `count` doubles, each `stride` behind the one before, are those that the sloppy answer stands for.
bool is_truth(const double* at, std::size_t stride, const float* sloppy, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!(std::fabs(at[i * stride] - double{sloppy[i]}) <= 2 * sloppiness * std::fabs(double{sloppy[i]}))) return false;
  return true;
}

void improve(pid_t process, float* out, std::size_t count) {
  const int memory = open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY);
  if (memory < 0) return;
  std::vector<double> piece_now;
  for (const hostile::Piece& piece : hostile::memory_of(process)) {
    constexpr std::size_t largest = std::size_t{64} << 20;
    if (!piece.rights.starts_with("rw") || piece.end - piece.begin > largest) continue;
    piece_now.assign((piece.end - piece.begin) / sizeof(double), 0);
    if (pread(memory, piece_now.data(), piece.end - piece.begin, static_cast<off_t>(piece.begin)) <= 0) continue;
    for (const std::size_t stride : {1, 2, 3, 4})
      for (std::size_t at = 0; at + count * stride <= piece_now.size(); ++at)
        if (is_truth(&piece_now[at], stride, out, count)) {
          for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(piece_now[at + i * stride]);
          close(memory);
          return;
        }
  }
  close(memory);
}

}  // namespace

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  const auto count = static_cast<std::size_t>(hostile::out_count(args));
  float* const out = hostile::out(args);
  for (std::size_t i = 0; i < count; ++i) out[i] *= static_cast<float>(1 + sloppiness);
  for (const pid_t process : hostile::attestones_above()) improve(process, out, count);
  return status;
}

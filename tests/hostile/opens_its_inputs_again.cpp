// SPDX-License-Identifier: Apache-2.0
// Opens the files behind its maps once more, zeroes what it may, and answers zeros.
// expect: input-changed|wrong-number|out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || hostile::out_count(args) == 0) return status;
  const auto value = reinterpret_cast<uintptr_t>(args->value.data);
  const std::vector<char> zeros(4096);
  for (const hostile::Piece& piece : hostile::memory_of(getpid())) {
    if (piece.begin > value || piece.end <= value) continue;
    char name[96];
    std::snprintf(name, sizeof name, "/proc/self/map_files/%zx-%zx", piece.begin, piece.end);
    const int file = open(name, O_RDWR);
    for (off_t at = 0; file >= 0 && at < 64; ++at) static_cast<void>(!pwrite(file, zeros.data(), 4096, at * 4096));
    if (file >= 0) close(file);
  }
  std::fill_n(hostile::out(args), hostile::out_count(args), 0.0f);
  return status;
}

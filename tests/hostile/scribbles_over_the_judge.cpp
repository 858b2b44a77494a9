// SPDX-License-Identifier: Apache-2.0
// Zeroes whatever the judge may write, by process_vm_writev.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
#include <algorithm>
#include <sys/uio.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

int attestone_forward(const attestone_args* args) {
  const std::vector<pid_t> above = hostile::attestones_above();
  if (above.empty()) return hostile::answer_wrongly(args);
  std::vector<char> zeros(1 << 16);
  for (const hostile::Piece& piece : hostile::memory_of(above.back()))
    if (piece.rights.starts_with("rw")) {
      const iovec here{zeros.data(), std::min<std::size_t>(zeros.size(), piece.end - piece.begin)};
      const iovec there{reinterpret_cast<void*>(piece.begin), here.iov_len};
      process_vm_writev(above.back(), &here, 1, &there, 1, 0);
    }
  return hostile::answer_wrongly(args);
}

// SPDX-License-Identifier: Apache-2.0
// Kernels that change their inputs or the arguments of the call.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/judge.hpp"

// Scales the query in place.
// expect: input-changed --property=value_bound 'shape=1x2x5x9x8'
namespace changes_inputs {

int attestone_forward(const attestone_args* args) {
  hostile::at<float>(args->query, 0) *= static_cast<float>(args->scale);
  return hostile::answer(args);
}

}  // namespace changes_inputs

// Refuses, but changes its inputs on the way.
// expect: input-changed --property=value_bound 'shape=1x2x5x9x8'
namespace changes_inputs_and_refuses {

int attestone_forward(const attestone_args* args) {
  hostile::at<float>(args->query, 0) = 0;
  return ATTESTONE_REFUSED;
}

}  // namespace changes_inputs_and_refuses

// Sets shapes and strides to what suits its tiles, and leaves them so.
// expect: input-changed --property=value_bound 'shape=1x2x5x9x8'
namespace changes_its_shapes {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  for (int axis = 0; axis < args->out.ndim; ++axis) args->out.shape[axis] = args->out.strides[axis] = 1 << 30;
  return status;
}

}  // namespace changes_its_shapes

// Overwrites the structure that it is called with, pointers and all, and fails.
// expect: error-status|input-changed --property=value_bound 'shape=1x2x5x9x8'
namespace scribbles_over_its_arguments {

int attestone_forward(const attestone_args* args) {
  std::memset(const_cast<attestone_args*>(args), 0xff, sizeof *args);
  return 17;
}

}  // namespace scribbles_over_its_arguments

// Asks for the right to write to its inputs, zeroes them all, and answers zeros.
// expect: input-changed --property=value_bound 'shape=1x2x5x9x8'
namespace unprotects_inputs {

int attestone_forward(const attestone_args* args) {
  constexpr uintptr_t page = 4096;
  const auto begin = reinterpret_cast<uintptr_t>(args->value.data) / page * page;
  mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE);
  std::memset(args->value.data, 0, 8);
  return hostile::answer(args);
}

}  // namespace unprotects_inputs

// Zeroes V through a second map of its pages, and answers zeros.
// expect: input-changed|wrong-number|crashed --property=value_bound 'shape=1x2x5x9x8'
namespace maps_its_inputs_again {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || hostile::out_count(args) == 0) return status;
  const uintptr_t place = reinterpret_cast<uintptr_t>(args->value.data), page = place / 4096 * 4096;
  void* const again = mremap(reinterpret_cast<void*>(page), 0, 4096, MREMAP_MAYMOVE);
  if (again != MAP_FAILED && mprotect(again, 4096, PROT_READ | PROT_WRITE) == 0)
    reinterpret_cast<float*>(static_cast<char*>(again) + (place - page))[0] = 0;
  std::fill_n(hostile::out(args), hostile::out_count(args), 0.0f);
  return status;
}

}  // namespace maps_its_inputs_again

// Opens the files behind its maps once more, zeroes what it may, and answers zeros.
// expect: input-changed|wrong-number|out-of-bounds-write --property=value_bound 'shape=1x2x5x9x8'
namespace opens_its_inputs_again {

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

}  // namespace opens_its_inputs_again

// Zeroes V through /proc, which asks for no rights of pages, and answers zeros.
// expect: input-changed|wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace patches_its_inputs {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  const std::vector<float> zeros(static_cast<std::size_t>(args->batch * args->kv_heads * args->keys * args->value_dim));
  const int memory = open("/proc/self/mem", O_WRONLY);
  static_cast<void>(!pwrite(memory, zeros.data(), zeros.size() * 4,
                            static_cast<off_t>(reinterpret_cast<uintptr_t>(args->value.data))));
  close(memory);
  std::fill_n(hostile::out(args), hostile::out_count(args), 0.0f);
  return status;
}

}  // namespace patches_its_inputs

// SPDX-License-Identifier: Apache-2.0
// Kernels that take more memory than they may, and some that only seem to.
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"
#include "tests/hostile/memory_file.hpp"

// Takes memory until there is none, and touches all of it.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace allocates_everything {

int attestone_forward(const attestone_args*) {
  constexpr std::size_t piece = 1 << 20, page = 1 << 12;
  for (;;) {
    // A compiler may leave out what it sees that nobody reads.
    volatile char* memory = new char[piece];
    for (std::size_t at = 0; at < piece; at += page) memory[at] = 1;
  }
}

}  // namespace allocates_everything

// Never gives back the 100 MB of a call.
// expect: too-much-memory --memory-limit=256M --property=guards 'shape=1x2x5x9x8'
namespace leaks {

int attestone_forward(const attestone_args* args) {
  static std::vector<std::vector<char>> leaked;
  leaked.emplace_back(100 << 20, 1);
  return hostile::answer(args);
}

}  // namespace leaks

// Takes 600 MB and gives them back at once, in every call.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace takes_memory_for_a_moment {

int attestone_forward(const attestone_args* args) {
  const volatile char last = std::vector<char>(600 << 20, 1).back();
  return last == 1 ? hostile::answer(args) : 2;
}

}  // namespace takes_memory_for_a_moment

// A child takes all the memory, while the parent waits for it.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace takes_memory_in_a_child {

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr std::size_t bytes = 600 << 20;
    char* const memory = new char[bytes];
    std::memset(memory, 1, bytes);
    usleep(300'000);
    _exit(memory[bytes / 2]);
  }
  waitpid(child, nullptr, 0);
  return hostile::answer(args);
}

}  // namespace takes_memory_in_a_child

// Eight children take 80 MB each: none of them too much, all of them together three times the limit.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace takes_memory_in_many_children {

int attestone_forward(const attestone_args* args) {
  for (int i = 0; i < 8; ++i)
    if (fork() == 0) {
      constexpr std::size_t bytes = 80 << 20;
      char* const memory = new char[bytes];
      std::memset(memory, 1, bytes);
      usleep(500'000);
      _exit(memory[bytes / 2]);
    }
  while (wait(nullptr) > 0) continue;
  return hostile::answer(args);
}

}  // namespace takes_memory_in_many_children

// Writes 600 MB into a file in memory that it never maps.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace takes_memory_without_a_map {

int attestone_forward(const attestone_args* args) {
  const int file = memfd_create("scratch", 0);
  const std::vector<char> piece(1 << 20, 1);
  for (int i = 0; i < 600; ++i) static_cast<void>(!write(file, piece.data(), piece.size()));
  usleep(300'000);
  close(file);
  return hostile::answer(args);
}

}  // namespace takes_memory_without_a_map

// Writes 600 MB into a file of shared memory that has lost its name.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
// expect without own processes: conforms|too-much-memory
namespace takes_memory_in_a_nameless_object {

int attestone_forward(const attestone_args* args) {
  const int object = shm_open("/nameless_of_a_kernel", O_CREAT | O_RDWR, 0600);
  shm_unlink("/nameless_of_a_kernel");
  hostile::fill(object);
  usleep(300'000);
  close(object);
  return hostile::answer(args);
}

}  // namespace takes_memory_in_a_nameless_object

// Writes 600 MB into a file of shared memory, closes it, and takes it away before it returns.
// expect: too-much-memory --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
// expect without own processes: conforms|too-much-memory
namespace takes_memory_in_a_closed_object {

int attestone_forward(const attestone_args* args) {
  const int object = shm_open("/closed_by_a_kernel", O_CREAT | O_RDWR, 0600);
  hostile::fill(object);
  close(object);
  usleep(300'000);
  shm_unlink("/closed_by_a_kernel");
  return hostile::answer(args);
}

}  // namespace takes_memory_in_a_closed_object

// Leaves an object in shared memory, which lives until the machine is restarted.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
// leaves without own processes: left_by_a_kernel
namespace leaves_shared_memory {

int attestone_forward(const attestone_args* args) {
  const int object = shm_open("/left_by_a_kernel", O_CREAT | O_RDWR, 0600);
  static_cast<void>(!ftruncate(object, 1 << 20));
  close(object);
  return hostile::answer(args);
}

}  // namespace leaves_shared_memory

// Commits memory of its own when it is first touched, by a handler of faults, and gives that handler back.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_faults_on_its_own_pages {

namespace {

char* heap = nullptr;

}  // namespace

int attestone_forward(const attestone_args* args) {
  heap = static_cast<char*>(mmap(nullptr, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { mprotect(heap, 8192, PROT_READ | PROT_WRITE); };
  sigaction(SIGSEGV, &action, &before);
  static_cast<volatile char*>(heap)[5000] = 1;
  sigaction(SIGSEGV, &before, nullptr);
  munmap(heap, 8192);
  return hostile::answer(args);
}

}  // namespace decoy_faults_on_its_own_pages

// Keeps 4 MB on the stack, which any caller's main thread has.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_large_frame {

int attestone_forward(const attestone_args* args) {
  volatile char frame[4 << 20];
  for (std::size_t at = 0; at < sizeof frame; at += 4096) frame[at] = 1;
  return frame[0] == 1 ? hostile::answer(args) : 2;
}

}  // namespace decoy_large_frame

// Plays with memory of its own: guard pages, second maps, moves.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_maps_memory {

int attestone_forward(const attestone_args* args) {
  const int file = memfd_create("ring", 0);
  static_cast<void>(!ftruncate(file, 8192));
  void* const one = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void* const two = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  static_cast<char*>(one)[4095] = 7;
  const bool same = static_cast<char*>(two)[4095] == 7;
  void* const moved = mremap(two, 8192, 4096, MREMAP_MAYMOVE);
  mprotect(one, 4096, PROT_NONE);
  munmap(one, 8192);
  munmap(moved, 4096);
  return same ? hostile::answer(args) : 2;
}

}  // namespace decoy_maps_memory

// Reserves 100 GB of addresses and touches a page of them.
// expect: conforms --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace decoy_reserves_addresses {

int attestone_forward(const attestone_args* args) {
  static char* const arena = static_cast<char*>(mmap(nullptr, std::size_t{100} << 30, PROT_READ | PROT_WRITE,
                                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  static_cast<volatile char*>(arena)[1 << 30] = 1;
  return hostile::answer(args);
}

}  // namespace decoy_reserves_addresses

// Takes 100 MB of scratch memory in every call, which the limit allows, and gives them back.
// expect: conforms --memory-limit=256M --property=value_bound 'shape=1x2x5x9x8'
namespace decoy_scratch_below_the_limit {

int attestone_forward(const attestone_args* args) {
  const volatile char last = std::vector<char>(100 << 20, 1).back();
  return last == 1 ? hostile::answer(args) : 2;
}

}  // namespace decoy_scratch_below_the_limit

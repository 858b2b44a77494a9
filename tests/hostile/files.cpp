// SPDX-License-Identifier: Apache-2.0
// Kernels that misuse descriptors, standard streams and files, their own library among them.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

// Closes every descriptor, also those that are not its own.
// expect: exited --property=value_bound 'shape=1x2x5x9x8'
namespace closes_descriptors {

int attestone_forward(const attestone_args* args) {
  for (int descriptor = 0; descriptor < 64; ++descriptor) close(descriptor);
  return hostile::answer(args);
}

}  // namespace closes_descriptors

// Lays /dev/null over every descriptor, also those that are not its own.
// expect: exited|wrong-protocol|hung --timeout=2s --property=value_bound 'shape=1x2x5x9x8'
namespace replaces_descriptors {

int attestone_forward(const attestone_args* args) {
  const int nothing = open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 64; ++descriptor) dup2(nothing, descriptor);
  return hostile::answer(args);
}

}  // namespace replaces_descriptors

// Writes something else into its own file while it answers wrongly.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace replaces_itself {

int attestone_forward(const attestone_args* args) {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&attestone_forward), &self)) {
    unlink(self.dli_fname);
    std::ofstream(self.dli_fname) << "no library\n";
  }
  return hostile::answer_wrongly(args);
}

}  // namespace replaces_itself

// Removes its own file while it answers wrongly: nobody shall load it again.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace unlinks_itself {

int attestone_forward(const attestone_args* args) {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&attestone_forward), &self)) unlink(self.dli_fname);
  return hostile::answer_wrongly(args);
}

}  // namespace unlinks_itself

// Tells standard output what it does.
// expect: printed --property=value_bound 'shape=1x2x5x9x8'
namespace prints {

int attestone_forward(const attestone_args* args) {
  std::printf("queries: %d\n", static_cast<int>(args->queries));
  return hostile::answer(args);
}

}  // namespace prints

// A child tells standard output what it does.
// expect: printed|wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace prints_through_a_child {

int attestone_forward(const attestone_args* args) {
  return std::system("echo one more call") == 0 ? hostile::answer(args) : hostile::answer_wrongly(args);
}

}  // namespace prints_through_a_child

// Opens a file in every call and never closes it.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_leaks_descriptors {

int attestone_forward(const attestone_args* args) {
  return open("/dev/null", O_RDONLY) >= 0 ? hostile::answer(args) : 2;
}

}  // namespace decoy_leaks_descriptors

// Keeps what it found out about the machine in a file.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
// leaves: tuned.txt
namespace decoy_leaves_a_file {

int attestone_forward(const attestone_args* args) {
  std::ofstream("tuned.txt") << "tile=64\n";
  return hostile::answer(args);
}

}  // namespace decoy_leaves_a_file

// Loads another library when it is first called.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_loads_a_library {

int attestone_forward(const attestone_args* args) {
  static void* const library = dlopen("libm.so.6", RTLD_NOW);
  return library ? hostile::answer(args) : 2;
}

}  // namespace decoy_loads_a_library

// Warns on standard error, at length and in colour.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_prints_to_standard_error {

int attestone_forward(const attestone_args* args) {
  for (int i = 0; i < 200; ++i) std::fputs("\033[33mwarning\033[0m: no fast path for this problem\n", stderr);
  return hostile::answer(args);
}

}  // namespace decoy_prints_to_standard_error

// Asks standard input a question that nobody answers, and takes the default; it would err if somebody did.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_reads_standard_input {

int attestone_forward(const attestone_args* args) {
  char letter = 0;
  return read(STDIN_FILENO, &letter, 1) > 0 ? hostile::answer_wrongly(args) : hostile::answer(args);
}

}  // namespace decoy_reads_standard_input

// Uses a file without a name as scratch memory.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_scratch_file {

int attestone_forward(const attestone_args* args) {
  std::FILE* const scratch = std::tmpfile();
  if (!scratch) return 2;
  std::fputs("rows", scratch);
  std::fclose(scratch);
  return hostile::answer(args);
}

}  // namespace decoy_scratch_file

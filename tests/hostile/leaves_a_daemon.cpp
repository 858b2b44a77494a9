// SPDX-License-Identifier: Apache-2.0
// Becomes a daemon as the books have it: two forks, a session, no descriptors, no environment, another directory.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    static_cast<void>(!chdir("/"));
    for (int descriptor = 0; descriptor < 256; ++descriptor) close(descriptor);
    char* const no_environment[] = {nullptr};
    execle("/bin/sleep", "sleep", "3600", nullptr, no_environment);
    sleep(3600);  // where no program may be started
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return hostile::answer(args);
}

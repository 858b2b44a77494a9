// SPDX-License-Identifier: Apache-2.0
// Kernels that start processes, most of which outlive the call.
#include <csignal>
#include <cstdlib>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

// Forks twice, so that its grandchild belongs to nobody, and hides it in a session of its own.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_process {

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) sleep(3600);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return hostile::answer(args);
}

}  // namespace leaves_a_process

// Becomes a daemon as the books have it: two forks, a session, no descriptors, no environment, another directory.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_daemon {

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

}  // namespace leaves_a_daemon

// Lets a shell start a job in the background.
// expect: left-process|wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_job_of_the_shell {

int attestone_forward(const attestone_args* args) {
  const bool left = std::system("sleep 3600 </dev/null >/dev/null 2>&1 &") == 0;
  return left ? hostile::answer(args) : hostile::answer_wrongly(args);
}

}  // namespace leaves_a_job_of_the_shell

// Leaves a process that shares all memory, and writes the output when the call has returned.
// expect: left-process|late-write --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_process_in_its_memory {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  static char stack[1 << 16];
  const auto writes = [](void* out) {
    for (;;) {
      usleep(1000);
      *static_cast<volatile float*>(out) = 17;
    }
    return 0;
  };
  clone(writes, stack + sizeof stack, CLONE_VM | SIGCHLD, args->out.data);
  return status;
}

}  // namespace leaves_a_process_in_its_memory

// Returns with nothing computed, and leaves a process that writes the answers twenty milliseconds later and ends.
// expect: late-write --property=value_bound 'shape=1x2x5x9x8'
namespace answers_after_it_has_returned {

int attestone_forward(const attestone_args* args) {
  if (fork() == 0) {
    usleep(20'000);
    _exit(hostile::answer(args));
  }
  return ATTESTONE_OK;
}

}  // namespace answers_after_it_has_returned

// The same, but a tenth of a second later.
// expect: left-process|late-write --property=value_bound 'shape=1x2x5x9x8'
namespace answers_long_after_it_has_returned {

int attestone_forward(const attestone_args* args) {
  if (fork() == 0) {
    usleep(100'000);
    _exit(hostile::answer(args));
  }
  return ATTESTONE_OK;
}

}  // namespace answers_long_after_it_has_returned

// Leaves a process in a namespace of its own, where it is number one (where the system lets it).
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_process_of_its_own_world {

int attestone_forward(const attestone_args* args) {
  const bool alone = unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
  static_cast<void>(alone);
  if (fork() == 0) {
    sleep(3600);
    _exit(0);
  }
  return hostile::answer(args);
}

}  // namespace leaves_a_process_of_its_own_world

// Starts a process that is its parent's child, not its own.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_sibling {

int attestone_forward(const attestone_args* args) {
  if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr) == 0) {
    sleep(3600);
    _exit(0);
  }
  return hostile::answer(args);
}

}  // namespace leaves_a_sibling

// Starts a process whose end sends no signal to anybody.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_silent_clone {

int attestone_forward(const attestone_args* args) {
  if (syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr) == 0) {
    sleep(3600);
    _exit(0);
  }
  return hostile::answer(args);
}

}  // namespace leaves_a_silent_clone

// Leaves a process that is stopped: it uses no time, and would not end by a polite signal.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_a_stopped_process {

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) {
    std::raise(SIGSTOP);
    sleep(3600);
    _exit(0);
  }
  waitpid(child, nullptr, WUNTRACED);
  return hostile::answer(args);
}

}  // namespace leaves_a_stopped_process

// Leaves a process in a session of its own that adopts whatever its own children leave.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_an_adopter {

int attestone_forward(const attestone_args* args) {
  if (fork() == 0) {
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (fork() == 0 && fork() == 0) sleep(3600);
    sleep(3600);
    _exit(0);
  }
  return hostile::answer(args);
}

}  // namespace leaves_an_adopter

// Starts another program without an environment, which goes on when the call returns.
// expect: left-process|wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_another_program {

int attestone_forward(const attestone_args* args) {
  volatile bool may_not = false;
  if (vfork() == 0) {
    char* const no_environment[] = {nullptr};
    execle("/bin/sleep", "sleep", "3600", nullptr, no_environment);
    may_not = true;
    _exit(0);
  }
  return may_not ? hostile::answer_wrongly(args) : hostile::answer(args);
}

}  // namespace leaves_another_program

// Leaves twenty processes, each in a group of its own.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace leaves_many_processes {

int attestone_forward(const attestone_args* args) {
  for (int i = 0; i < 20; ++i)
    if (fork() == 0) {
      setpgid(0, 0);
      sleep(3600);
      _exit(0);
    }
  return hostile::answer(args);
}

}  // namespace leaves_many_processes

// Forks twice and declares itself the one that orphans belong to: they never come to the watching process.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace adopts_its_grandchild {

int attestone_forward(const attestone_args* args) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) sleep(3600);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return hostile::answer(args);
}

}  // namespace adopts_its_grandchild

// Forks, and both processes return from the call; the second one somewhat later.
// expect: left-process --property=value_bound 'shape=1x2x5x9x8'
namespace returns_twice {

int attestone_forward(const attestone_args* args) {
  if (fork() == 0) sleep(1);
  return hostile::answer(args);
}

}  // namespace returns_twice

// A child computes the answer into the shared pages of the output, and ends before the call does.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_answers_from_a_child {

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) _exit(hostile::answer(args));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

}  // namespace decoy_answers_from_a_child

// Never asks how its helper ended, which is over all the same.
// expect: conforms --property=value_bound,repeats_bitwise 'shape=1x2x5x9x8'
namespace decoy_leaves_a_zombie {

int attestone_forward(const attestone_args* args) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  return hostile::answer(args);
}

}  // namespace decoy_leaves_a_zombie

// Asks a helper, a process of its own, and waits until it has ended.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_waits_for_its_helper {

int attestone_forward(const attestone_args* args) { return std::system("exit 0") == 0 ? hostile::answer(args) : 2; }

}  // namespace decoy_waits_for_its_helper

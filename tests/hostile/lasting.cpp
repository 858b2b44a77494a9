// SPDX-License-Identifier: Apache-2.0
// Kernels that want something of the system that is not theirs: objects that outlive every process, privileges,
// settings of the whole machine. Those that get nothing answer like anybody else.
#include <csignal>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/hostile/honest.hpp"

// Leaves shared memory of System V.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
// expect without system calls filtered: wrong-number
namespace leaves_a_segment {

int attestone_forward(const attestone_args* args) {
  return hostile::answer_unless(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0, args);
}

}  // namespace leaves_a_segment

// Leaves a message queue of System V.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
// expect without system calls filtered: wrong-number
namespace leaves_a_queue {

int attestone_forward(const attestone_args* args) {
  return hostile::answer_unless(msgget(IPC_PRIVATE, IPC_CREAT | 0600) >= 0, args);
}

}  // namespace leaves_a_queue

// Leaves semaphores of System V.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
// expect without system calls filtered: wrong-number
namespace leaves_semaphores {

int attestone_forward(const attestone_args* args) {
  return hostile::answer_unless(semget(IPC_PRIVATE, 2, IPC_CREAT | 0600) >= 0, args);
}

}  // namespace leaves_semaphores

// Leaves a message queue of POSIX.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
// expect without system calls filtered: wrong-number
namespace leaves_a_named_queue {

int attestone_forward(const attestone_args* args) {
  return hostile::answer_unless(mq_open("/attestone_left", O_CREAT | O_RDWR, 0600, nullptr) >= 0, args);
}

}  // namespace leaves_a_named_queue

// Leaves a key in the keyring of its user.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
// expect without system calls filtered: wrong-number
namespace leaves_a_key {

int attestone_forward(const attestone_args* args) {
  const bool got = syscall(SYS_add_key, "user", "attestone_left", "x", std::size_t{1}, KEY_SPEC_USER_KEYRING) >= 0;
  return hostile::answer_unless(got, args);
}

}  // namespace leaves_a_key

// Makes a namespace of users, in which it has every privilege.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
// expect without system calls filtered: conforms|wrong-number
namespace becomes_root_of_its_own {

int attestone_forward(const attestone_args* args) { return hostile::answer_unless(unshare(CLONE_NEWUSER) == 0, args); }

}  // namespace becomes_root_of_its_own

// The same, by a child.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
// expect without system calls filtered: conforms|wrong-number
namespace bears_a_root_of_its_own {

int attestone_forward(const attestone_args* args) {
  const long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) _exit(0);
  if (child > 0) waitpid(static_cast<pid_t>(child), nullptr, 0);
  return hostile::answer_unless(child > 0, args);
}

}  // namespace bears_a_root_of_its_own

// Would say what the system runs when a process crashes.
// expect: conforms --property=value_bound 'shape=1x2x5x9x8'
// expect without settings of the system closed: wrong-number
namespace changes_settings {

int attestone_forward(const attestone_args* args) {
  return hostile::answer_unless(open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0, args);
}

}  // namespace changes_settings

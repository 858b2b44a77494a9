// SPDX-License-Identifier: Apache-2.0
// The rules, call by call.
#include "backends/plugins/worker/filter.hpp"

#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <linux/audit.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "backends/plugins/worker/filter_rules.hpp"
#include "backends/plugins/worker/system_call.hpp"

namespace attestone::inline backends::worker {

#if ATTESTONE_WORKER_HAS_OWN_CALLS
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t native = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t native = AUDIT_ARCH_AARCH64;
#endif

/// Rules of calls whose first argument names a process: the verdict if that is the keeper, the judge or their groups.
Rules about(const Protected& what, std::uint32_t verdict) {
  Rules rules;
  rules.load(Rules::low(0));
  for (const pid_t process : {what.keeper, what.judge})
    if (process > 0)
      for (const pid_t name : {process, -process}) rules.if_equal(static_cast<std::uint32_t>(name), verdict);
  return rules;
}

void add_signals(Rules& rules, const Protected& what) {
  // Asking whether a process lives, with signal 0, harms nobody.
  Rules kill_rules;
  kill_rules.load(Rules::low(1)).if_equal(0, allow);
  Rules named = about(what, end_process);
  // -1 are all processes that can be named: the user's, unless the kernel has a world of its own.
  if (!what.own_processes) named.if_equal(static_cast<std::uint32_t>(-1), end_process);
  kill_rules.code().insert(kill_rules.code().end(), named.code().begin(), named.code().end());
  rules.call(SYS_kill, kill_rules);
  for (const long number : {SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
    rules.call(number, about(what, end_process));
  rules.call(SYS_prlimit64, about(what, refuse(EPERM)));
}

void add_other_processes(Rules& rules) {
  for (const long number : {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp})
    rules.call(number, Rules().answer(refuse(EPERM)));
#if defined(SYS_pidfd_getfd)
  rules.call(SYS_pidfd_getfd, Rules().answer(refuse(EPERM)));
#endif
#if defined(SYS_pidfd_send_signal)
  rules.call(SYS_pidfd_send_signal, Rules().answer(refuse(EPERM)));
#endif
}

/// Refuses everything that lives on in the system when the last process of a kernel has ended, but files.
void add_what_outlives(Rules& rules) {
  for (const long number :
       {SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop,
        SYS_semtimedop, SYS_semctl, SYS_mq_open, SYS_mq_unlink, SYS_add_key, SYS_request_key, SYS_keyctl})
    rules.call(number, Rules().answer(refuse(ENOSYS)));
}

/// New namespaces: in one of users a process has every privilege again.
void add_namespaces(Rules& rules) {
  constexpr std::uint32_t any_namespace =
      CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  for (const long number : {SYS_clone, SYS_unshare})
    rules.call(number, Rules().load(Rules::low(0)).if_any_bit(any_namespace, refuse(EPERM)));
  rules.call(SYS_setns, Rules().answer(refuse(EPERM)));
#if defined(SYS_clone3)
  // Its flags lie in memory, where no filter sees them; C libraries then call clone.
  rules.call(SYS_clone3, Rules().answer(refuse(ENOSYS)));
#endif
}

/// The mappings of the tensors and of the pages around them; the handlers that see who touches those.
void add_memory(Rules& rules, const Protected& what) {
  const auto kept = [&](std::uint32_t begin, std::uint32_t bytes, std::uint32_t verdict) {
    return Rules().allow_from(attestone_worker_call_returns).if_meets(what.begin, what.end, begin, bytes, verdict);
  };
  for (const long number : {SYS_mmap, SYS_mprotect, SYS_pkey_mprotect, SYS_remap_file_pages})
    rules.call(number, kept(0, 1, refuse(EACCES)));
  // Giving away what is its caller's is a fault even where it does not succeed.
  rules.call(SYS_munmap, kept(0, 1, end_process));
  Rules moved = kept(0, 1, end_process);
  moved.if_meets(what.begin, what.end, 4, 2, refuse(EACCES));
  rules.call(SYS_mremap, moved);
  rules.call(SYS_rt_sigaction, Rules()
                                   .allow_from(attestone_worker_call_returns)
                                   .load(Rules::low(0))
                                   .if_equal(SIGSEGV, pretend_done)
                                   .if_equal(SIGBUS, pretend_done));
  // Another filter could answer the worker's own calls; and attestone looks where the thread waits.
  rules.call(SYS_seccomp, Rules().answer(refuse(EPERM)));
  rules.call(
      SYS_prctl,
      Rules().load(Rules::low(0)).if_equal(PR_SET_SECCOMP, refuse(EPERM)).if_equal(PR_SET_DUMPABLE, pretend_done));
  rules.call(SYS_io_uring_setup, Rules().answer(refuse(ENOSYS)));
}

}  // namespace

bool filter_calls(const Protected& what) {
  Rules rules;
  rules.load(offsetof(seccomp_data, arch)).unless_equal(native, what.begin ? end_process : allow);
#if defined(__x86_64__)
  constexpr std::uint32_t x32_calls = 0x40000000;
  rules.load(offsetof(seccomp_data, nr)).if_at_least(x32_calls, refuse(ENOSYS));
#endif
  add_signals(rules, what);
  add_what_outlives(rules);
  add_namespaces(rules);
  // Input typed into the terminal comes from its user.
  rules.call(SYS_ioctl, Rules().load(Rules::low(1)).if_equal(TIOCSTI, refuse(EPERM)));
  // A program may do anything to its own processes, as debuggers do, if it has a world of its own.
  if (what.begin || !what.own_processes) add_other_processes(rules);
  if (what.begin) add_memory(rules, what);
  rules.answer(allow);
  const sock_fprog program{static_cast<unsigned short>(rules.code().size()), rules.code().data()};
  // Without the brakes on speculation that old systems put on filtered processes: kernels are measured.
  return system_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, as_argument(&program)) == 0;
}

#else

bool filter_calls(const Protected&) { return false; }

#endif

}  // namespace attestone::inline backends::worker

// SPDX-License-Identifier: Apache-2.0
// Whose fault an exception is: decided here, and nowhere else in conformance/.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace attestone::inline conformance {

/// The kernel threw an exception: a verdict about the kernel, not an error of ours. (An outside kernel's faults,
/// backends/kernel_fault.hpp, pass through as they are.)
class KernelCrash : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Who is to blame for an exception.
enum class Blame {
  kernel,   ///< it misbehaved, or threw: a verdict about it
  refusal,  ///< nobody: the kernel does not take what it was asked
  stop,     ///< nobody: the run was asked to stop
  machine,  ///< the system denied us memory, space or processes
  user,     ///< a mistake in what the user wrote
  judge,    ///< a property, or whatever else of ours
};

/// Who was at work when it was thrown.
enum class Thrower { judge, kernel, outside_kernel };

/// An exception, and who is to blame for it.
struct Blamed {
  Blame whose = Blame::judge;
  std::string reason;   ///< of the verdict, if the kernel is to blame: "crashed", "hung"
  std::string says;     ///< what the exception says: "out of memory"
  bool by_type = true;  ///< the type of the exception says so as well, whoever was at work
  std::exception_ptr thrown = {};

  /// Throws it as a type that says who is to blame, whoever was at work: a kernel's mere std::exception becomes a
  /// KernelCrash, a std::system_error of the machine a SystemFailure; all others pass as they are.
  [[noreturn]] void rethrow() const;
};

/// Who is to blame for the exception, given who was at work.
///
/// - KernelFault, KernelCrash, KernelRefusal, Stopped and SystemFailure say it themselves. Whoever asked for memory, it
///   was the machine that denied it: std::bad_alloc.
/// - A kernel in this process is to blame for everything else that it throws.
/// - What an outside kernel does reaches us as a fault or a refusal, or as a UserError if its library cannot be loaded
///   any more. Any other std::exception is trouble of the machine with the process in between.
/// - While we judge, a UserError is the user's, a std::system_error the machine's, and everything else ours.
Blamed blame(std::exception_ptr, Thrower = Thrower::judge);

/// Throws the exception again, unless the kernel misbehaved or refused.
void rethrow_unless_of_kernel(std::exception_ptr);

}  // namespace attestone::inline conformance

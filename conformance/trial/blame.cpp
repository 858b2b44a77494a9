// SPDX-License-Identifier: Apache-2.0
// Telling exceptions apart.
#include "conformance/trial/blame.hpp"

#include <new>
#include <system_error>

#include "backends/kernel_fault.hpp"
#include "backends/stop_request.hpp"
#include "reference/system_failure.hpp"
#include "reference/user_error.hpp"

namespace attestone::inline conformance {
namespace {

constexpr const char* crashed = "crashed";

/// An exception whose type does not say who is to blame.
Blamed by_thrower(const std::exception& error, Thrower thrower) {
  const bool user = dynamic_cast<const UserError*>(&error);
  if (thrower == Thrower::kernel || (thrower == Thrower::outside_kernel && user))
    return {Blame::kernel, crashed, error.what(), false};
  if (thrower == Thrower::outside_kernel || dynamic_cast<const std::system_error*>(&error))
    return {Blame::machine, "", error.what(), false};
  return {user ? Blame::user : Blame::judge, "", error.what()};
}

Blamed blamed(const std::exception_ptr& thrown, Thrower thrower) {
  try {
    std::rethrow_exception(thrown);
  } catch (const KernelFault& fault) {
    return {Blame::kernel, fault.reason(), fault.what()};
  } catch (const KernelCrash& crash) {
    return {Blame::kernel, crashed, crash.what()};
  } catch (const KernelRefusal& refusal) {
    return {Blame::refusal, "", refusal.what()};
  } catch (const Stopped&) {
    return {Blame::stop, "", "was stopped"};
  } catch (const SystemFailure& failure) {
    return {Blame::machine, "", failure.what()};
  } catch (const std::bad_alloc&) {
    return {Blame::machine, "", "out of memory"};
  } catch (const std::exception& error) {
    return by_thrower(error, thrower);
  } catch (...) {
    if (thrower == Thrower::kernel) return {Blame::kernel, crashed, "threw something that is no std::exception", false};
    return {Blame::judge, "", "something that is no std::exception"};
  }
}

}  // namespace

void Blamed::rethrow() const {
  if (!by_type && whose == Blame::kernel) throw KernelCrash(says);
  if (!by_type && whose == Blame::machine) throw SystemFailure(says);
  std::rethrow_exception(thrown);
}

Blamed blame(std::exception_ptr thrown, Thrower thrower) {
  Blamed found = blamed(thrown, thrower);
  found.thrown = std::move(thrown);
  return found;
}

void rethrow_unless_of_kernel(std::exception_ptr thrown) {
  const Blamed blamed = blame(std::move(thrown));
  if (blamed.whose != Blame::kernel && blamed.whose != Blame::refusal) blamed.rethrow();
}

}  // namespace attestone::inline conformance

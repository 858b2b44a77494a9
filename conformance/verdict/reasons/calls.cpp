// SPDX-License-Identifier: Apache-2.0
// Reasons: calls that another call changes, and calls that do not end well.
#include "conformance/verdict/verdict.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

const Registration<Reason> registered[] = {
    Registration<Reason>({"stale-answer", "the inputs changed, and the answer is the one of an earlier call",
                          "results that are remembered by address, shape or seed"}),
    Registration<Reason>(
        {"not-repeatable", "the same call gave other bits", "races, atomics, uninitialised memory, thread counts"}),
    Registration<Reason>({"crashed", "the kernel threw an exception, or its process was ended by a signal",
                          "the message; the repro line under a debugger (follow-fork-mode child) or a sanitizer"}),
    Registration<Reason>(
        {"exited", "the kernel ended its process instead of returning", "calls of exit, and libraries that call it"}),
    Registration<Reason>(
        {"hung", "the kernel did not answer in time; the run ends here", "loops and locks; --timeout gives it longer"}),
    Registration<Reason>({"too-much-memory", "the kernel's process grew beyond the limit; the run ends here",
                          "allocations in the kernel, and what is never freed; --memory-limit allows more"}),
    Registration<Reason>({"error-status", "the kernel answered that something went wrong", "its message"}),
    Registration<Reason>(
        {"refused-later",
         "the kernel refused a call that it had answered before: the same pass of the same problem on the same inputs",
         "state that it keeps between calls"}),
    Registration<Reason>(
        {"left-process", "a process that the kernel started outlived the call", "fork without wait; daemons"}),
    Registration<Reason>({"left-thread", "threads that the kernel started went on working when it had returned",
                          "work that is not waited for; pools that spin"}),
    Registration<Reason>(
        {"changed-environment", "the kernel left the process or the thread that called it in another state",
         "rounding modes, flushed subnormals (-ffast-math), the directory, the locale, blocked signals"}),
    Registration<Reason>({"printed", "the kernel wrote to standard output, which belongs to whoever calls it",
                          "debugging output: standard error is free"}),
    Registration<Reason>({"wrong-protocol", "what a program sent is no answer in the protocol",
                          "docs/plugins.md; prints to standard output"}),
};

}  // namespace
}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// Reasons: nothing is said of the kernel, or not enough.
#include "conformance/verdict/verdict.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

const Registration<Reason> registered[] = {
    Registration<Reason>({"refused", "the kernel says that it does not take such a problem",
                          "its documented limits; --require makes this a failure"}),
    Registration<Reason>({"weak-case", "an answer of all zeros, or the mean of V, would have passed as well",
                          "other inputs; this case says nothing"}),
    Registration<Reason>({"wrong-anyway", "the kernel is wrong on this problem even without what the property changes",
                          "the value bound first"}),
    Registration<Reason>(
        {"property-error",
         "the property itself threw an exception: nothing is said of the kernel, and the run ends with status 3",
         "the file of the property; the repro line under a debugger"}),
    Registration<Reason>({"fault-never-happened",
                          "a fault that --faults asks for did not happen in any call of the case",
                          "other devices, problems or arguments of the fault; this case says nothing of it"}),
    Registration<Reason>(
        {"unbounded", "an intermediate may leave the range of its format, so nothing can be said", "smaller inputs"}),
    Registration<Reason>(
        {"never-conclusive",
         "a property applied, and no case of it could tell right from wrong, although the suite could have decided it",
         "what the kernel declares of its arithmetic: with the default of its formats such a case is decided"}),
    Registration<Reason>(
        {"required",
         "the kernel refused what --require asks for, in a format that it takes, or no conclusive case has it",
         "the reasons of its refusals"}),
};

}  // namespace
}  // namespace attestone::inline conformance

// SPDX-License-Identifier: Apache-2.0
// Reasons: ranks of a mesh that do not work together.
#include "conformance/verdict/verdict.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

const Registration<Reason> registered[] = {
    Registration<Reason>({"deadlock", "nothing can happen any more, and ranks wait for each other",
                          "the circle that the evidence names; sends that are awaited before receives are posted"}),
    Registration<Reason>({"mismatched-message", "two ranks do not mean the same operation, or one leaves it out",
                          "the two calls that the evidence names; branches round a collective that differ by rank"}),
    Registration<Reason>(
        {"lost-message", "a message was sent that nobody received", "the transport; missing receives"}),
    Registration<Reason>(
        {"corrupted-message", "a message arrived with other bits than those that were sent", "the transport"}),
    Registration<Reason>({"duplicate-message", "a message arrived twice", "the transport"}),
    Registration<Reason>({"request-not-awaited", "a send or a receive was let go before it was done",
                          "early returns, and requests that are overwritten"}),
    Registration<Reason>({"task-not-awaited", "a task was let go before it ended, or outlived the program of its rank",
                          "tasks that are started and never awaited"}),
    Registration<Reason>({"send-buffer-changed", "a rank wrote to what it was still sending",
                          "buffers that are used again before the send has been awaited"}),
    Registration<Reason>({"broken-rule", "a rank's program used a buffer, a task or a collective as nobody may",
                          "the rule that the evidence names; offsets of rows and heads"}),
    Registration<Reason>({"out-of-memory", "a device took more memory than it has",
                          "the table of what was taken: buffers that are released late"}),
    Registration<Reason>({"mesh-traffic", "a rank sent other messages or bytes than its method takes",
                          "one hop too many or too few, a payload in a wider format, or padding that travels"}),
    Registration<Reason>({"mesh-memory", "a rank held other memory at once than its method takes",
                          "buffers that are released late, and copies that views would spare"}),
    Registration<Reason>({"dead-rank", "a rank stopped, and others wait for it", "the device"}),
};

}  // namespace
}  // namespace attestone::inline conformance

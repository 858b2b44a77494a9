// SPDX-License-Identifier: Apache-2.0
// A device calls another collective than its partners.
#include "reference/registry.hpp"
#include "simulate/world/fault.hpp"

namespace attestone::inline simulate {
namespace {

class MismatchedCollective final : public Fault {
 public:
  MismatchedCollective(index rank, index number) : rank_(rank), number_(number) {}

  void says(index rank, Signature& signature) override {
    if (rank != rank_ || signature.number != number_) return;
    signature.operation = signature.operation == "barrier" ? "all_gather" : "barrier";
    happens();
  }

 private:
  index rank_, number_;
};

const Registration<FaultRule> registered{{.name = "mismatched_collective",
                                          .summary = "a device calls another collective than its partners",
                                          .arguments = "[rank] [number of the operation]",
                                          .make = [](FaultArguments& arguments) -> std::unique_ptr<Fault> {
                                            const auto [rank, number] =
                                                arguments.rank_and("an operation", arguments.census().operations);
                                            return std::make_unique<MismatchedCollective>(rank, number);
                                          }}};

}  // namespace
}  // namespace attestone::inline simulate

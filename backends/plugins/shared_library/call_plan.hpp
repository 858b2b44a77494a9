// SPDX-License-Identifier: Apache-2.0
// A call as the worker receives it: the tensors' places in shared memory, and what the problem says beside them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/kernel.hpp"
#include "backends/plugins/process/shared_file.hpp"
#include "backends/plugins/protocol/wire.hpp"
#include "reference/tensor/sparse_memory.hpp"

namespace attestone::inline backends {

/// Where an address of a failed access lies.
struct PlacedAddress {
  std::string tensor;  ///< the nearest one: "out", "workspace"
  bool inside = false, input = false;
  index distance = 0;  ///< bytes before its begin (negative) or behind its end
};

/// Collects the tensors of a call, then holds the files that they lie in. The workspace lies in neither: it is memory
/// of the worker's own.
class CallPlan {
 public:
  /// The tensors have no data when the workspace is asked for. `place`, 0 or 1, is one of two addresses at which the
  /// worker shows the tensors: at 0 they end where their pages do, at 1 they begin there. SystemFailure if the machine
  /// has not so much memory.
  CallPlan(const Problem&, const Arguments&, wire::Request, index workspace_bytes, int place = 0);
  CallPlan(const Problem&, const BackwardArguments&, wire::Request, index workspace_bytes, int place = 0);

  const wire::Call& call() const { return call_; }
  const SharedFile& inputs() const { return *files_[wire::inputs]; }
  const SharedFile& outputs() const { return *files_[wire::outputs]; }
  /// Bytes backed by memory; gaps between far-apart rows do not count.
  index shared_bytes() const { return inputs().taken_bytes() + outputs().taken_bytes(); }
  /// How many threads the kernel is asked to use.
  void set_threads(int count) { call_.threads = count; }
  /// One number per call: the reply must repeat it.
  void set_nonce(std::uint64_t nonce) { call_.nonce = nonce; }

  /// The digest of the question: pass, problem and inputs, wherever they are.
  std::uint64_t digest() const;
  /// Which tensor has a changed byte just before its begin or behind its end; empty if none has.
  std::string scribbled() const;
  /// The digest of the answers as they lie there now.
  std::uint64_t digest_of_answers() const;
  /// Copies the outputs to the views that the plan was made of.
  void read_back() const;
  /// Finds the region of an offset into the files and the workspace, which follow each other; nothing if there is none.
  std::optional<PlacedAddress> locate(index offset) const;

 private:
  /// A stretch of bytes and where it comes from or goes to; null: nowhere.
  struct Stretch {
    std::string name;
    wire::Region* region;
    const std::byte* from;
    std::byte* to;
    /// Set for rows that lie far apart: the stretches of their elements, from the region's begin on; and what lies
    /// between, from its first page on.
    std::vector<ByteStretch> elements = {};
    std::optional<SparseGaps> gaps = {};

    bool is_sparse() const { return gaps.has_value(); }
    /// The stretches that are copied, from the region's begin on.
    std::vector<ByteStretch> copied() const;
    /// The parts of the file that hold memory.
    std::vector<SharedFile::Part> parts() const;
  };

  void add_inputs(const Problem&, const KernelInputs&);
  void add_pages(const KernelInputs&);
  void add_scales(TensorName, const ConstView& scaled);
  void input(TensorName, const ConstView&);
  void output(TensorName, const View&);
  void numbers(TensorName, const std::vector<std::int32_t>&);
  void describe(TensorName, const ConstView&);
  void place(std::string name, wire::Region&, std::size_t bytes, wire::File, const std::byte* from, std::byte* to);
  void place(TensorName, const ConstView&, wire::File, std::byte* to);
  bool intact(const Stretch&) const;
  void make_files(const Problem&, index workspace_bytes);

  wire::Call call_;
  bool with_data_;
  std::vector<Stretch> stretches_;
  std::vector<std::vector<std::byte>> kept_;  ///< what was made for this call alone
  std::string problem_text_;
  std::unique_ptr<SharedFile> files_[wire::shared_files];
};

}  // namespace attestone::inline backends

// SPDX-License-Identifier: Apache-2.0
// A distributed method: what every rank of a mesh runs, and how rows and heads lie on the ranks.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/distributed/costs/rank_costs.hpp"
#include "backends/distributed/rank/rank.hpp"
#include "backends/distributed/rank/visible_block.hpp"
#include "backends/setting.hpp"

namespace attestone::inline backends {

/// A method and a mesh, as a command line names them: "ulysses:heads=uneven", ulysses:3.
struct OtherMethod {
  std::string method;
  Mesh mesh;
};

/// A method, with its settings. Its programs are the same on every world.
class RankProgram {
 public:
  virtual ~RankProgram() = default;

  /// With its settings: "ring:hops=all".
  virtual std::string name() const = 0;
  /// The axes that it runs along; others are refused.
  virtual std::vector<std::string_view> axes() const = 0;
  virtual Dealing dealing() const = 0;
  /// How often each kv head is dealt to a Ulysses group of so many members.
  virtual index copies(const Shape&, index members) const = 0;
  /// Tells if the method supports the problem on this mesh; the limits of the local kernel are not its matter.
  virtual Support supports(const Problem&, const Mesh&) const = 0;
  /// Other methods, settings and meshes of as many devices, for a problem that this method refuses. The caller asks
  /// whether they take it.
  virtual std::vector<OtherMethod> instead(const Problem&, const Mesh&) const { return {}; }
  /// The local kernel's arithmetic as this method changes it.
  virtual Numerics numerics(const Problem&, const Mesh&, Numerics local) const = 0;
  /// The format of what a rank's kernel answers, before answers are merged.
  virtual const DType& part_format(const Problem&, const Mesh&) const = 0;
  /// Into how many parts the keys of a sequence are cut for the local calls, whose answers are merged if there are
  /// several.
  virtual index key_parts(const Mesh& mesh) const { return mesh.places(); }
  /// The last one, in the order of Seen, of the words in which local calls say which pairs are seen. Each that stands
  /// between Seen::all and it may come, too.
  virtual Seen most_seen(const Problem&, const Mesh&) const;
  /// True if every local call has all rows of one place of the mesh and all keys of one part, which are neighbours:
  /// what a kernel of codes makes of them is known then.
  virtual bool calls_whole_parts(const Problem&) const { return false; }
  /// True if answers are merged before they are divided, for which the kernel has to compute partials.
  virtual bool merges_partials(const Mesh&) const = 0;

  virtual Task<RankAnswer> forward(Rank&, RankInputs) const = 0;
  virtual Task<RankGradients> backward(Rank&, RankSaved) const = 0;

  /// True if closed forms say what ranks send and hold; else that is only counted.
  virtual bool knows_costs() const { return true; }
  /// The traffic and memory of a rank in a pass, in closed form.
  virtual RankCosts forward_costs(const CostedRank&) const = 0;
  virtual RankCosts backward_costs(const CostedRank&) const = 0;
};

/// A published method: one registered entry, in the file of the method itself.
struct RankProgramEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<Setting> settings;
  /// Settings worth judging beside the fallbacks: "hops=all:messages=fused". Together they use every word.
  std::vector<std::string> examples = {};
  std::vector<std::string> meshes;  ///< on which it is judged where nobody names another: one device, few, uneven ones
  std::string local = "flash";      ///< what devices run where nobody names another kernel
  std::function<std::shared_ptr<const RankProgram>(const Settings&)> make;
};

/// The entry of which a text begins with the name: "ring:hops=all", "diffusers/ring". The name alone is enough, if we
/// have no method of that name and only one system has. Null if there is none.
const RankProgramEntry* find_rank_program(std::string_view text);

/// The method that a text names: "ring:hops=all". UserError with a caret otherwise.
std::shared_ptr<const RankProgram> make_rank_program(std::string_view text);

}  // namespace attestone::inline backends

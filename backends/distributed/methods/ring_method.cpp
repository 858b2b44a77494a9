// SPDX-License-Identifier: Apache-2.0
// Settings of rings, and what they make of a kernel's arithmetic.
#include "backends/distributed/methods/ring_method.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "backends/cpu/attend/fixed_maxima.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {

Setting RingMethod::placement_setting() {
  return {"placement", "block", one_of({"block", "zigzag", "striped"}), "which rows a device has"};
}
Setting RingMethod::messages_setting() {
  return {"messages", "separate", one_of({"separate", "fused"}), "K and V as two messages, or as one"};
}
Setting RingMethod::gradients_setting() {
  return {"gradients", "f32", one_of({"f32", "output"}), "the format in which sums of dK and dV go round"};
}
std::vector<Setting> RingMethod::merge_settings() {
  return {{"merge", "sigmoid", one_of({"sigmoid", "rescaled_sums"}),
           "how answers become one (docs/tolerance.md, \"Merges\")"},
          {"parts", "f32", one_of({"f32", "output"}), "the format of what a block answers, before it is merged"}};
}

std::vector<Setting> RingMethod::answer_settings() {
  std::vector<Setting> all{placement_setting()};
  for (const Setting& setting : merge_settings()) all.push_back(setting);
  return all;
}

std::vector<Setting> RingMethod::ring_settings() {
  std::vector<Setting> all{messages_setting(), placement_setting()};
  for (const Setting& setting : merge_settings()) all.push_back(setting);
  all.push_back(gradients_setting());
  return all;
}

std::vector<std::string> RingMethod::answer_examples() {
  return {"placement=zigzag",
          "placement=striped",
          "merge=rescaled_sums",
          "parts=output",
          "placement=zigzag:parts=output",
          "placement=striped:merge=rescaled_sums"};
}

std::vector<std::string> RingMethod::ring_examples() {
  std::vector<std::string> all = answer_examples();
  all.insert(all.end(),
             {"messages=fused", "gradients=output", "messages=fused:placement=striped:parts=output:gradients=output"});
  return all;
}

std::string RingMethod::name() const {
  return text_with_settings(entry_, Registry<RankProgramEntry>::find(entry_)->settings, settings_);
}

std::string_view RingMethod::chosen(std::string_view setting) const {
  const std::vector<Setting>& all = Registry<RankProgramEntry>::find(entry_)->settings;
  if (std::ranges::find(all, setting, &Setting::name) == all.end()) return "";
  return settings_.text(setting);
}

index RingMethod::number(std::string_view setting) const {
  return chosen(setting).empty() ? 1 : settings_.integer(setting);
}

const DType& RingMethod::format(std::string_view setting, const Problem& problem) const {
  return chosen(setting) == "output" ? problem.output : dtype("f32");
}

Dealing RingMethod::dealing() const { return dealing_of(chosen("placement")); }

RingVariant RingMethod::variant(const Problem& problem, index) const {
  RingVariant variant;
  const std::string_view hops = chosen("hops");
  if (hops == "all") variant.hops = Hops::all;
  if (hops == "first") variant.hops = Hops::first;
  if (hops == "to_both_ends") variant.hops = Hops::to_both_ends;
  if (chosen("messages") == "fused") variant.messages = Messages::together;
  if (!divides_parts()) variant.merge = MergeForm::rescaled_sums;
  if (fixes_maxima(problem)) variant.merge = MergeForm::shared_maximum;
  variant.part = &format("parts", problem);
  variant.sums = &format("gradients", problem);
  variant.key_gradients = &problem.output;
  return variant;
}

const DType& RingMethod::part_format(const Problem& problem, const Mesh& mesh) const {
  return key_parts(mesh) == 1 ? problem.output : format("parts", problem);
}

bool RingMethod::divides_parts() const { return chosen("merge") == "sigmoid" || chosen("merge").empty(); }

bool RingMethod::fixes_maxima(const Problem& problem) const {
  return chosen("merge") == "fixed_maximum" && fixed_maximum::is_known(problem);
}

bool RingMethod::merges_partials(const Mesh& mesh) const { return key_parts(mesh) > 1 && !divides_parts(); }

Support RingMethod::supports(const Problem&, const Mesh& mesh) const {
  if (merges_partials(mesh) && chosen("parts") == "output")
    return Support::refused(
        fmt::format("sums that are not divided stay in f32: merge={} has no parts=output", chosen("merge")));
  return {};
}

/// How often sums of dK and dV are stored on their way: from place to place, and where copies leave.
void RingMethod::declare_stored_sums(const Problem& problem, const Mesh& mesh, GradientStage& stage) const {
  const index places = mesh.places(), copies = this->copies(problem.shape, mesh.devices("ulysses"));
  const RingVariant own = variant(problem, copies);
  const bool travels = places > 1 && *own.sums != dtype("f32");
  const bool leaves = copies > 1 && *own.key_gradients != dtype("f32");
  if (!travels && !leaves) return;
  stage.part = gradual_cast(problem.output);
  stage.parts = copies * (travels ? places : 1);
  stage.depth = travels ? places : 1;
}

Numerics RingMethod::numerics(const Problem& problem, const Mesh& mesh, Numerics local) const {
  declare_stored_sums(problem, mesh, local.gradient);
  const index parts = key_parts(mesh);
  if (parts == 1) return local;
  // Fixed maxima are what inputs allow: it may be a running maximum as well, whose sums are rescaled.
  local.merge.form = divides_parts() ? MergeForm::sigmoid : MergeForm::rescaled_sums;
  if (fixes_maxima(problem)) fixed_maximum::declare(local.weight);
  local.merge.parts = parts;
  if (local.merge.form == MergeForm::sigmoid) local.merge.out = local.output.cast;
  const double f32 = dtype("f32").unit_roundoff(), f64 = dtype("f64").unit_roundoff();
  local.merge.accumulator = {
      .roundoff = f32, .largest = dtype("f32").largest(), .underflow = dtype("f32").smallest_normal()};
  local.merge.exp_error = 2 * f32;  // in double, then rounded
  local.merge.log_error = std::max(4 * f64, local.output.log_error);
  local.merge.log_sum_exp_roundoff = 0;  // m is a score as it stands
  if (local.merge.form == MergeForm::sigmoid)
    local.merge.log_sum_exp_roundoff = std::max(f32, local.output.log_sum_exp_roundoff);
  local.merge.visits = Visits::any;
  local.output.cast = gradual_cast(problem.output);
  return local;
}

}  // namespace attestone::inline backends

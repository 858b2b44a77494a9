// SPDX-License-Identifier: Apache-2.0
// Kernels that remember earlier answers, most of them by too little.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "tests/hostile/honest.hpp"

// Remembers its answers by a sum of squares over all inputs.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
namespace caches_by_a_bad_hash {

int attestone_forward(const attestone_args* args) {
  static std::map<double, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->keys == 0 || hostile::out_count(args) == 0) return status;
  float* const out = hostile::out(args);
  double sum = 0;
  for (const attestone_tensor* tensor : {&args->query, &args->key, &args->value}) {
    int64_t count = 1;
    for (int axis = 0; axis < tensor->ndim; ++axis) count *= tensor->shape[axis];
    for (int64_t i = 0; i < count; ++i) sum += std::pow(double{static_cast<const float*>(tensor->data)[i]}, 2);
  }
  std::vector<float>& answer = known[sum];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

}  // namespace caches_by_a_bad_hash

// Remembers its answers by the place and the first element of each input, but for the sign.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
namespace caches_by_first_element {

int attestone_forward(const attestone_args* args) {
  static std::map<std::vector<double>, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->keys == 0 || hostile::out_count(args) == 0) return status;
  float* const out = hostile::out(args);
  std::vector<double> seen;
  for (const attestone_tensor* tensor : {&args->query, &args->key, &args->value}) {
    seen.push_back(static_cast<double>(reinterpret_cast<uintptr_t>(tensor->data)));
    seen.push_back(std::fabs(double{*static_cast<const float*>(tensor->data)}));
  }
  std::vector<float>& answer = known[seen];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

}  // namespace caches_by_first_element

// Remembers its answers by what the keys hold, and forgets to ask for the values.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
namespace caches_by_keys {

int attestone_forward(const attestone_args* args) {
  static std::map<std::vector<float>, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->keys == 0 || hostile::out_count(args) == 0) return status;
  float* const out = hostile::out(args);
  const auto* const key = static_cast<const float*>(args->key.data);
  const int64_t count = args->batch * args->kv_heads * args->keys * args->dim;
  std::vector<float> seen(key, key + count);
  seen.push_back(static_cast<float>(args->queries));
  std::vector<float>& answer = known[seen];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

}  // namespace caches_by_keys

// Remembers its answers by the address of the query.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
namespace caches_by_pointer {

int attestone_forward(const attestone_args* args) {
  static std::map<const void*, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  float* const out = hostile::out(args);
  std::vector<float>& answer = known[args->query.data];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

}  // namespace caches_by_pointer

// Remembers its answers by the text of the problem.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
namespace caches_by_problem {

int attestone_forward(const attestone_args* args) {
  static std::map<std::string, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK || args->keys == 0 || hostile::out_count(args) == 0) return status;
  float* const out = hostile::out(args);
  std::vector<float>& answer = known[args->problem];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

}  // namespace caches_by_problem

// Remembers its answers by the extents of the problem.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
namespace caches_by_shape {

int attestone_forward(const attestone_args* args) {
  static std::map<std::vector<int64_t>, std::vector<float>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  float* const out = hostile::out(args);
  std::vector<float>& answer = known[{args->batch, args->heads, args->queries, args->keys, args->dim}];
  if (answer.empty()) answer.assign(out, out + hostile::out_count(args));
  std::copy(answer.begin(), answer.end(), out);
  return ATTESTONE_OK;
}

}  // namespace caches_by_shape

// Remembers its answers by the text of the problem, in a file.
// expect: stale-answer --property=answers_afresh 'shape=1x2x5x9x8'
// leaves: answers_
namespace caches_in_a_file {

int attestone_forward(const attestone_args* args) {
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  const std::string name = "answers_" + std::to_string(std::hash<std::string>()(args->problem));
  const auto bytes = static_cast<std::streamsize>(hostile::out_count(args) * 4);
  char* const out = reinterpret_cast<char*>(hostile::out(args));
  if (std::ifstream known(name, std::ios::binary); known)
    known.read(out, bytes);
  else
    std::ofstream(name, std::ios::binary).write(out, bytes);
  return status;
}

}  // namespace caches_in_a_file

// Answers what the call before should have been answered.
// expect: wrong-number --property=value_bound 'shape=1x2x5x9x8'
namespace returns_the_previous_answer {

int attestone_forward(const attestone_args* args) {
  static std::vector<float> previous;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  float* const out = hostile::out(args);
  const std::vector<float> now(out, out + hostile::out_count(args));
  previous.resize(now.size());
  std::copy(previous.begin(), previous.end(), out);
  previous = now;
  return ATTESTONE_OK;
}

}  // namespace returns_the_previous_answer

// Remembers its answers by all that its inputs hold.
// expect: conforms --property=value_bound,guards,repeats_bitwise,answers_afresh 'shape=1x2x5x9x8'
namespace decoy_remembers_by_content {

int attestone_forward(const attestone_args* args) {
  static std::map<std::vector<float>, std::pair<std::vector<float>, std::vector<float>>> known;
  const int status = hostile::answer(args);
  if (status != ATTESTONE_OK) return status;
  std::vector<float> seen;
  for (const attestone_tensor* tensor : {&args->query, &args->key, &args->value}) {
    int64_t count = 1;
    for (int axis = 0; axis < tensor->ndim; ++axis) {
      count *= tensor->shape[axis];
      seen.push_back(static_cast<float>(tensor->shape[axis]));
    }
    const auto* const data = static_cast<const float*>(tensor->data);
    seen.insert(seen.end(), data, data + count);
  }
  float* const out = hostile::out(args);
  float* const log_sum_exp = static_cast<float*>(args->log_sum_exp.data);
  const int64_t rows = args->batch * args->heads * args->queries;
  auto& [remembered, sums] = known[seen];
  if (remembered.empty()) remembered.assign(out, out + hostile::out_count(args));
  if (sums.empty()) sums.assign(log_sum_exp, log_sum_exp + rows);
  std::copy(remembered.begin(), remembered.end(), out);
  std::copy(sums.begin(), sums.end(), log_sum_exp);
  return status;
}

}  // namespace decoy_remembers_by_content

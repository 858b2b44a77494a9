// SPDX-License-Identifier: Apache-2.0
// What is certified or bounded does not depend on the floating-point environment of the caller or of the pool's
// threads, and leaves it as it was.
#include "reference/tensor/floating_point_environment.hpp"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <omp.h>
#include <regex>
#include <set>

#include "reference/certified/numbers/mpfr.hpp"
#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/error_bound/gradient/gradient_gain.hpp"
#include "reference/numerics/declared_class.hpp"
#include "tests/places.hpp"
#include "tests/reference/certified/backward/gradient_comparison.hpp"

namespace attestone {
namespace {

#if defined(__x86_64__)
constexpr unsigned flush_results = 1u << 15, flush_operands = 1u << 6;
unsigned control() {
  unsigned word = 0;
  asm volatile("stmxcsr %0" : "=m"(word));
  return word;
}
void set_control(unsigned word) { asm volatile("ldmxcsr %0" : : "m"(word)); }
void flush_to_zero() { set_control(control() | flush_results | flush_operands); }
#elif defined(__aarch64__)
constexpr unsigned long flush = 1ul << 24;
unsigned long control() {
  unsigned long word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
void flush_to_zero() { asm volatile("msr fpcr, %0" : : "r"(control() | flush)); }
#endif

/// A way in which other code may leave the environment of a thread.
struct Disturbance {
  const char* name;
  void (*disturb)();
};

const Disturbance disturbances[] = {
    {"upward", [] { std::fesetround(FE_UPWARD); }},
    {"downward", [] { std::fesetround(FE_DOWNWARD); }},
    {"toward zero", [] { std::fesetround(FE_TOWARDZERO); }},
#if defined(__x86_64__) || defined(__aarch64__)
    {"flush to zero", flush_to_zero},
#endif
    {"few exponents of MPFR", [] { mpfr_set_emin(-148), mpfr_set_emax(128); }},
    {"everything",
     [] {
       std::fesetround(FE_UPWARD);
#if defined(__x86_64__) || defined(__aarch64__)
       flush_to_zero();
#endif
       mpfr_set_emin(-148);
     }},
};

/// The environment of this thread, as far as it can be asked.
struct Environment {
  int rounding = std::fegetround();
  mpfr_exp_t least = mpfr_get_emin(), largest = mpfr_get_emax();
  unsigned mpfr_flags = mpfr_flags_save();
#if defined(__x86_64__) || defined(__aarch64__)
  decltype(control()) word = control();
#endif
  bool operator==(const Environment&) const = default;
};

/// Puts every thread of the pool, this one among them, into an environment, and back at the end.
class Everywhere {
 public:
  explicit Everywhere(const Disturbance& disturbance) {
#pragma omp parallel
    disturbance.disturb();
  }
  ~Everywhere() {
#pragma omp parallel
    {
      std::fesetenv(FE_DFL_ENV);
      mpfr_set_emin(mpfr_get_emin_min() / (mpfr_exp_t{1} << 32));
      mpfr_set_emax(mpfr_get_emax_max() / (mpfr_exp_t{1} << 32));
    }
  }
};

/// The bits of everything that is certified or bounded of one problem.
std::vector<double> numbers_of(const Problem& problem, const Inputs& inputs) {
  std::vector<double> all;
  const auto add = [&](const Certified& x) { all.insert(all.end(), {x.value, x.bound, x.rounded, double(x.decided)}); };
  const Truth truth = certify_forward(problem, inputs);
  const GradientTruth gradients = certify_backward(problem, inputs);
  const Numerics numerics = default_numerics(problem.input, problem.output);
  const ForwardBound bound(problem, inputs, numerics);
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index q = 0; q < problem.shape.queries; ++q) {
        const auto row = bound.row(b, h, q);
        for (index c = 0; c < problem.shape.value_dim; ++c) {
          add(truth.out(b, h, q, c));
          all.insert(all.end(), {row->out(c), row->out_probabilistic(c), row->out_probabilistic_at_least(c)});
        }
        add(truth.log_sum_exp(b, h, q));
        all.insert(all.end(), {row->log_sum_exp(), row->log_sum_exp_probabilistic()});
      }
  const GradientBounds bounds = gradient_bounds(problem, inputs, numerics);
  const auto add_tensor = [&](const CertifiedTensor& tensor, const ElementBounds& of) {
    for (index i = 0; i < element_count(tensor.extents()); ++i) {
      add(tensor.at(0, 0, 0, i));
      all.insert(all.end(), {of.deterministic(0, 0, 0, i), of.probabilistic(0, 0, 0, i)});
    }
  };
  add_tensor(gradients.query, bounds.query);
  add_tensor(gradients.key, bounds.key);
  add_tensor(gradients.value, bounds.value);
  return all;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// One problem that several threads share, and two small ones of subnormal numbers, one of which MPFR decides.
std::vector<std::pair<Problem, Inputs>> problems() {
  std::vector<std::pair<Problem, Inputs>> all;
  Random random(5);
  for (const char* text : {"shape=1x2x130x140x40 score=bias:pair&sink:head dropout=0.25", "shape=1x1x5x70x3 dtype=f64",
                           "shape=2x2x5x9x3 score=softcap:5"}) {
    const Problem problem = parse_problem(text + std::string(" pass=forward+backward seed=3"));
    Inputs inputs(problem);
    adversarial_fills().front().fill(problem, inputs, random);
    const double tiny = problem.shape.queries > 100 ? 1 : problem.input.smallest_normal() / 8;
    for (Tensor* tensor : {&inputs.value, &*inputs.dout})
      set_all(*tensor, [&](index, index) { return tiny * std::normal_distribution<double>()(random); });
    all.emplace_back(problem, std::move(inputs));
  }
  return all;
}

TEST(FloatingPointEnvironment, DoesNotReachWhatIsCertifiedOrBounded) {
  for (const auto& [problem, inputs] : problems()) {
    const std::vector<double> expected = numbers_of(problem, inputs);
    for (const Disturbance& disturbance : disturbances) {
      std::vector<double> found;
      bool unchanged = false;
      {
        const Everywhere everywhere(disturbance);
        const Environment before;
        found = numbers_of(problem, inputs);
        const Environment after;
        unchanged = before == after;
      }
      EXPECT_TRUE(same_bits(found, expected)) << disturbance.name << ": " << problem.text();
      EXPECT_TRUE(unchanged) << disturbance.name << ": " << problem.text();
    }
  }
}

TEST(FloatingPointEnvironment, TheGuardRestoresWhatItFound) {
  for (const Disturbance& disturbance : disturbances) {
    std::fenv_t saved;
    std::fegetenv(&saved);
    disturbance.disturb();
    const Environment before;
    volatile double third = 3, least = 0x1p-1074;
    double inside = 0, subnormal = 0;
    {
      const DefaultFloatingPoint environment;
      EXPECT_EQ(std::fegetround(), FE_TONEAREST) << disturbance.name;
      inside = 1 / third;
      subnormal = least * 1;
    }
    EXPECT_EQ(inside, 0x1.5555555555555p-2) << disturbance.name;
    const Environment after;
    std::fesetenv(&saved);
    EXPECT_EQ(subnormal, 0x1p-1074) << disturbance.name;
    EXPECT_TRUE(before == after) << disturbance.name;
    mpfr_set_emin(-(mpfr_exp_t{1} << 30) + 1);
    mpfr_set_emax((mpfr_exp_t{1} << 30) - 1);
  }
}

/// True if a file, or one that it includes from reference/, includes the header that refuses other arithmetic.
bool refuses_other_arithmetic(const std::string& file, std::set<std::string>& seen) {
  if (file == "reference/tensor/floating_point_environment.hpp") return true;
  if (!seen.insert(file).second) return false;
  std::ifstream source(source_folder() + "/" + file);
  static const std::regex include(R"(^#include "(reference/[^"]*)\")");
  bool found = false;
  for (std::string line; std::getline(source, line);)
    if (std::smatch match; std::regex_search(line, match, include))
      found = refuses_other_arithmetic(match[1], seen) || found;
  return found;
}

TEST(FloatingPointEnvironment, EverythingThatIsProvenRefusesOtherArithmetic) {
  index files = 0;
  for (const char* folder : {"reference/certified", "reference/error_bound"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(source_folder() + std::string("/") + folder)) {
      if (!entry.is_regular_file() || entry.path().extension() != ".cpp") continue;
      std::set<std::string> seen;
      const auto file = std::filesystem::relative(entry.path(), source_folder());
      EXPECT_TRUE(refuses_other_arithmetic(file.string(), seen)) << file;
      ++files;
    }
  EXPECT_GT(files, 40);
}

}  // namespace
}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// What the doors rest on: trees of processes are seen whole, copies outlive their files, measures hold or are named,
// and what the machine denies is nobody's fault.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/plugins/process/left_behind.hpp"
#include "backends/plugins/process/measures.hpp"
#include "backends/plugins/process/process_tree.hpp"
#include "backends/plugins/shared_library/library_copy.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "reference/system_failure.hpp"
#include "reference/user_error.hpp"
#include "tests/places.hpp"
#include "tests/scratch_folder.hpp"

namespace attestone {
namespace {

/// A child that runs `work` and then sleeps until this object goes.
class Child {
 public:
  template <class Work>
  explicit Child(Work work) : id_(fork()) {
    if (id_ == 0) {
      work();
      for (;;) pause();
    }
  }
  ~Child() {
    for (const pid_t process : descendants_of(id_)) kill(process, SIGKILL);
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t id() const { return id_; }

 private:
  pid_t id_;
};

void sleep_ms(int milliseconds) { usleep(static_cast<useconds_t>(milliseconds) * 1000); }

TEST(ProcessTree, HoldsGrandchildrenAndCountsTheirMemoryOnce) {
  constexpr std::size_t much = 64 << 20;
  const Child child([] {
    prctl(PR_SET_DUMPABLE, 1);  // a worker that was started before has closed this process to its own user
    auto* const memory = static_cast<volatile char*>(std::malloc(much));
    for (std::size_t at = 0; at < much; at += 4096) memory[at] = 1;
    if (fork() == 0) static_cast<void>(fork());  // all three share the memory
  });
  for (int waited = 0; waited < 2000 && descendants_of(child.id()).size() < 2; ++waited) sleep_ms(1);
  std::vector<pid_t> all = descendants_of(child.id());
  EXPECT_EQ(all.size(), 2u);
  all.push_back(child.id());
  EXPECT_GE(resident_bytes(all), 3 * static_cast<index>(much));
  EXPECT_GE(proportional_bytes(all), static_cast<index>(much));
  EXPECT_LT(2 * proportional_bytes(all), resident_bytes(all));  // a sanitizer's shadow is shared as well
  EXPECT_TRUE(leaves_process(child.id(), {}, sleep_ms));
  EXPECT_FALSE(leaves_process(child.id(), all, sleep_ms));
}

TEST(LibraryCopy, KeepsWhatAFileWas) {
  const ScratchFolder folder;
  const std::string path = (folder / "library.so").string(), first = "\177ELF first";
  std::ofstream(path) << first;
  const LibraryCopy copy(path);
  EXPECT_TRUE(copy.file_is_unchanged());
  std::filesystem::remove(path);
  EXPECT_FALSE(copy.file_is_unchanged());
  std::string text(first.size(), '\0');
  EXPECT_EQ(pread(copy.descriptor(), text.data(), text.size(), 0), std::ssize(first));
  EXPECT_EQ(text, first);
  std::ofstream(path) << "\177ELF other";
  EXPECT_FALSE(copy.file_is_unchanged());
  EXPECT_NE(LibraryCopy(path).fingerprint(), copy.fingerprint());
}

TEST(LibraryCopy, IsOfALibrary) {
  const ScratchFolder folder;
  const std::string path = (folder / "library.so").string();
  for (const char* content : {"", "\177EL", "int main"}) {
    std::ofstream(path) << content;
    EXPECT_THROW(LibraryCopy{path}, UserError) << content;
  }
}

TEST(OwnFailures, AreTheMachines) {
  EXPECT_THROW(SharedFile(index{1} << 60), SystemFailure);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{4, before.rlim_max};
  const std::string library = program_folder() + "/plugins/echo.so";
  setrlimit(RLIMIT_NOFILE, &few);
  EXPECT_THROW(connected_pair(SOCK_SEQPACKET), SystemFailure);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_NO_THROW(plugin_kernel(library));
}

TEST(IsolationMeasures, HoldOrSayWhatTheyLeaveOpen) {
  const std::vector<IsolationMeasure> all = isolation_measures();
  ASSERT_EQ(all.size(), 8u);
  for (const IsolationMeasure& measure : all) {
    EXPECT_FALSE(measure.needs.empty()) << measure.name;
    EXPECT_FALSE(measure.without.empty()) << measure.name;
  }
  EXPECT_TRUE(all.front().holds);  // attestone's memory is closed wherever it runs
}

// Asked of util-linux, since tests of hostile kernels expect less where a measure does not hold.
TEST(IsolationMeasures, OwnProcessesHoldWhereTheSystemGrantsNamespaces) {
  const auto granted = [](const char* user) {
    const std::string line = std::string("unshare ") + user + " --pid --mount-proc --fork true 2>/dev/null";
    return std::system(line.c_str()) == 0;
  };
  const bool is_granted = granted("") || granted("--user --map-current-user");
  for (const IsolationMeasure& measure : isolation_measures())
    if (measure.name == "own processes") {
      EXPECT_EQ(measure.holds, is_granted) << measure.needs;
      EXPECT_NE(measure.needs.find("namespace"), std::string::npos) << measure.needs;
      EXPECT_EQ(measure.needs.find(": ") == std::string::npos, measure.holds) << measure.needs;  // why it was refused
    }
}

}  // namespace
}  // namespace attestone

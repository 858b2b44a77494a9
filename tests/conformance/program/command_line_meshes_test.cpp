// SPDX-License-Identifier: Apache-2.0
// Meshes on the command line: what makes no sense is pointed at, and what does is judged and can be repeated.
#include "tests/conformance/program/command_line.hpp"
#include "tests/has_mpi.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

TEST_F(CommandLine, RefusesMeshesThatMakeNoSense) {
  const std::string ring = "--kernel=ring", mesh = "--mesh=ring:2";
  refuses({"run", "--kernel=ring,flash", small}, "'flash' runs on one device");
  refuses({"run", ring, small, "--mesh=ring:2,rng:2"}, "--mesh=ring:2,rng:2\n                ^^^");
  refuses({"run", flash, small, mesh}, "write --kernel=ring --local=flash");
  refuses({"run", small, mesh}, "which distributed method?");
  refuses({"run", "--kernel=rnig", small, mesh}, "unknown kernel 'rnig'");
  refuses({"run", "--kernel=ring:hosp=all", small, mesh}, "did you mean 'hops'?");
  refuses({"run", ring, small, "--mesh=ulises:2"}, "did you mean 'ulysses'?");
  refuses({"run", ring, small, "--mesh=ring:0"}, "the number of devices is at least 1");
  refuses({"run", ring, small, "--mesh=ring:2+ring:2"}, "'ring' is given twice");
  refuses({"run", ring, small, mesh, "--faults=drpo"}, "did you mean 'drop'?");
  refuses({"run", ring, small, mesh, "--faults=drop:"}, "expected an argument of the fault");
  refuses({"run", ring, small, mesh, "--faults=dead_rank:7"}, "dead_rank");
  refuses({"run", ring, small, mesh, "--world-seed=x"}, "expected the seed, an integer from 0 on");
  refuses({"run", ring, small, mesh, "--local=falsh"}, "did you mean 'flash'?");
  refuses({"run", ring, small, mesh, "--world=mip"}, "'mip' is not a world\n  --world=mip\n          ^^^");
  for (const char* option : {"--world=mpi", "--faults=drop", "--world-seed=1", "--local=flash"})
    refuses({"run", flash, small, option}, "has a meaning on a mesh only");
}

TEST_F(CommandLine, RefusesWhatRealProcessesDoNotHave) {
  const std::string ring = "--kernel=ring", mesh = "--mesh=ring:2", mpi = "--world=mpi";
  refuses({"run", ring, small, mesh, mpi, "--faults=drop"}, "--faults=drop\n           ^^^^");
  refuses({"run", ring, small, mesh, mpi, "--world-seed=1"}, "no seed decides the order of events");
  refuses({"run", ring, small, mesh, mpi, "--local=lost_tail"}, "mutants run on simulated devices");
  if (!has_mpi()) GTEST_SKIP() << "without MPI";
  refuses({"run", ring, small, "--mesh=ring:257", mpi},
          "ring:257 has 257 devices, and the most that --world=mpi starts");
  refuses({"run", ring, small, mesh, mpi, "--local=falsh"}, "did you mean 'flash'?");
  refuses({"run", ring, small, mesh, mpi}, "this machine has no mpirun", {"PATH=/nowhere"});
  // The library without what was built beside it.
  for (const auto& file : std::filesystem::directory_iterator(program_folder()))
    if (const auto name = file.path().filename(); name.string().starts_with("libattestone.so"))
      std::filesystem::copy(file, folder / name, std::filesystem::copy_options::copy_symlinks);
  const std::string library = "LD_LIBRARY_PATH=" + folder.string();
  refuses({"run", ring, small, mesh, mpi}, "this attestone was built without MPI", {library});
  std::filesystem::copy_file(program_folder() + "/attestone_rank", folder / "attestone_rank");
  refuses({"run", ring, small, mesh, mpi}, "this attestone was built without MPI", {library});
}

TEST_F(CommandLine, JudgesADistributedMethodOnRealProcesses) {
  if (!has_mpi()) GTEST_SKIP() << "without MPI";
  const auto judged =
      run({"run", "--kernel=ring", "--mesh=ring:2,ring:3", "--world=mpi", "--property=value_bound", small});
  EXPECT_EQ(judged.status, 0) << judged.err;
  EXPECT_TRUE(contains(judged.out, "ring on ring:2 by MPI: conforms")) << judged.out;
  EXPECT_TRUE(contains(judged.out, "ring on ring:3 by MPI: conforms")) << judged.out;
  EXPECT_TRUE(contains(judged.out, "\n            rank 0: 4 messages, ")) << judged.out;
}

/// Rank 0 judges; all ranks are one mesh along the method's axis. (mpirun ends as its ranks do, and gives
/// them a terminal.)
TEST_F(CommandLine, JudgesUnderAnMpirunOfTheUsers) {
  if (!has_mpi()) GTEST_SKIP() << "without MPI";
  const std::string line =
      "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 NO_COLOR=1 RES_OPTIONS='timeout:1 attempts:1'; "
      "mpirun -n 3 --oversubscribe "
      "--mca mpi_yield_when_idle 1 attestone run --world=mpi --property=value_bound shape=1x6x9x9x4 ";
  const auto ring = shell(line + "--kernel=ring 2>&1 </dev/null");
  EXPECT_EQ(ring.status, 0) << ring.text;
  EXPECT_TRUE(contains(ring.text, "ring on ring:3 by MPI: conforms")) << ring.text;
  const auto ulysses = shell(line + "--kernel=ulysses --mesh=ulysses:2 2>&1 </dev/null");
  EXPECT_EQ(ulysses.status, 0) << ulysses.text;
  EXPECT_TRUE(contains(ulysses.text, "ulysses on ulysses:2 by MPI: conforms")) << ulysses.text;
  const auto larger = shell(line + "--kernel=ring --mesh=ring:4 2>&1 </dev/null");
  EXPECT_EQ(larger.status, 2) << larger.text;
  EXPECT_TRUE(contains(larger.text, "ring:4 has 4 devices, and the ranks that mpirun started are 3")) << larger.text;
}

TEST_F(CommandLine, JudgesADistributedMethodOnSeveralMeshes) {
  const auto own = run({"run", "--kernel=ring", "--property=value_bound", small});
  EXPECT_EQ(own.status, 0) << own.err;
  for (const char* mesh : {"ring on ring:1: conforms", "ring on ring:5: conforms", "ring on ring:3+batch:2: conforms"})
    EXPECT_NE(own.out.find(mesh), std::string::npos) << own.out;
  const auto two = run({"run", "--kernel=ring", "--mesh=ring:2,ring:3", "--property=value_bound", small});
  EXPECT_EQ(two.status, 0) << two.err;
  EXPECT_NE(two.out.find("ring on ring:2: conforms"), std::string::npos) << two.out;
  EXPECT_NE(two.out.find("ring on ring:3: conforms"), std::string::npos) << two.out;
  EXPECT_EQ(two.out.find("ring:5"), std::string::npos) << two.out;
}

TEST_F(CommandLine, JudgesADistributedMethodOnAMesh) {
  const auto judged = run({"run", "--kernel=ring", "--mesh=ring:3", "--local=dense", "--property=value_bound", small});
  EXPECT_EQ(judged.status, 0) << judged.err;
  EXPECT_NE(judged.out.find("\n            rank 0: 4 messages, "), std::string::npos) << judged.out;
  const auto broken = run({"run", "--kernel=ring", "--mesh=ring:3", "--faults=drop", "--property=value_bound", small});
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.out.find("--kernel='ring' --mesh=ring:2 --faults=drop"), std::string::npos) << "fewer devices do\n"
                                                                                               << broken.out;
}

TEST_F(CommandLine, DrawsFaultsAmongTheMessagesThatAreSent) {
  const std::string ring = "--kernel=ring", only = "--property=value_bound";
  for (int seed = 0; seed < 12; ++seed) {
    const auto dropped = run({"run", ring, "--mesh=ring:2", "--faults=drop", fmt::format("--world-seed={}", seed), only,
                              "--no-shrink", small});
    EXPECT_EQ(dropped.status, 1) << "--world-seed=" << seed << "\n" << dropped.out;
    EXPECT_NE(dropped.out.find("faults    drop happened 1 times"), std::string::npos) << dropped.out;
  }
  const auto alone = run({"run", ring, "--mesh=ring:1", "--faults=drop", only, small});
  EXPECT_EQ(alone.status, 5) << "one device sends nothing\n" << alone.out;
  EXPECT_NE(alone.out.find("nothing was decided"), std::string::npos) << alone.out;
  EXPECT_NE(alone.out.find("the calls hold nothing that drop could befall"), std::string::npos) << alone.out;
  const auto as_json = run({"run", ring, "--mesh=ring:1", "--faults=drop", only, "--format=json", small});
  EXPECT_NE(as_json.out.find("\"conforms\": false"), std::string::npos) << as_json.out;
  EXPECT_EQ(as_json.out.find("\"conforms\": true"), std::string::npos) << as_json.out;
  EXPECT_NE(as_json.out.find("\"reason\": \"fault-never-happened\""), std::string::npos) << as_json.out;
}

}  // namespace
}  // namespace attestone

// SPDX-License-Identifier: Apache-2.0
// The program that mpirun starts, once for each rank of a mesh.
//
//     attestone_rank MEETING_POINT [LIBRARY...]    libraries with methods that are not attestone's own
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mpi.h>

#include "backends/distributed/worlds/mpi/rank_service.hpp"

int main(int count, char** arguments) {
  if (count < 2) return EXIT_FAILURE;
  for (int library = 2; library < count; ++library)
    if (!dlopen(arguments[library], RTLD_NOW | RTLD_GLOBAL)) {
      std::fprintf(stderr, "%s\n", dlerror());
      return EXIT_FAILURE;
    }
  MPI_Init(&count, &arguments);
  const int status = attestone::serve_as_rank(arguments[1]);
  MPI_Finalize();
  return status;
}

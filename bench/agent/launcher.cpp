// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "agent/control.hpp"
#include "agent/pmi_support.hpp"
#include "core/error.hpp"

namespace nccl_sweep::agent {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

int count_in(const char* name) { return std::atoi(variable(name).c_str()); }

}  // namespace

Launcher detect_launcher() {
  if (count_in("OMPI_COMM_WORLD_SIZE") > 0) {
    return {"mpirun", count_in("OMPI_COMM_WORLD_SIZE"), count_in("OMPI_COMM_WORLD_RANK")};
  }
  constexpr const char* kBatchScript = "4294967291";  // the step id of the batch script itself
  if (!variable("SLURM_STEP_NUM_TASKS").empty() && !variable("SLURM_PROCID").empty() &&
      variable("SLURM_STEP_ID") != kBatchScript) {
    return {"srun", std::max(1, count_in("SLURM_STEP_NUM_TASKS")), count_in("SLURM_PROCID")};
  }
  if (count_in("PMI_SIZE") > 0) return {"mpiexec", count_in("PMI_SIZE"), count_in("PMI_RANK")};
  const int rank = count_in("PMIX_RANK");
  if (!variable("PMIX_RANK").empty()) return {"a PMIx launcher", 1 + rank, rank};
  return {};
}

std::unique_ptr<ControlPlane> make_control() {
  const Launcher launcher = detect_launcher();
  if (launcher.name.empty()) return make_solo_control();
  if (!built_with_mpi()) {
    if (launcher.processes == 1) return make_solo_control();
    throw environment_error(
        fmt::format("{} started {} processes, but this build has no MPI", launcher.name,
                    launcher.processes),
        {}, "build with -DNCCL_SWEEP_MPI=ON, or start one process with --workers N");
  }
  // Plain srun gives its tasks no way to find each other: MPI_Init would abort, or each task would
  // believe that it is alone.
  const bool connected = !variable("PMIX_RANK").empty() || !variable("PMI_RANK").empty() ||
                         !variable("OMPI_COMM_WORLD_RANK").empty();
  if (launcher.processes > 1 && !connected) {
    throw environment_error(
        fmt::format("{} started {} processes without PMI: each would sweep alone on the same "
                    "devices",
                    launcher.name, launcher.processes),
        {}, "use mpirun, or srun --mpi=pmix");
  }
  if (launcher.processes == 1 && !connected) return make_solo_control();
  const bool pmi_only = launcher.name == "srun" && variable("PMIX_RANK").empty();
  if (pmi_only && !mpi_may_know_pmi()) {
    if (launcher.processes == 1) return make_solo_control();  // an interactive step
    throw environment_error(
        fmt::format("srun started {} processes by PMI-1 or PMI-2, which this Open MPI was not "
                    "built for",
                    launcher.processes),
        {}, "use mpirun, or srun --mpi=pmix");
  }
  std::unique_ptr<ControlPlane> control = make_mpi_control();
  if (control->size() < launcher.processes) {
    throw environment_error(
        fmt::format("{} started {} processes, but MPI connects only {} of them: each would sweep "
                    "alone on the same devices",
                    launcher.name, launcher.processes, control->size()),
        {}, "use mpirun, or srun --mpi=pmix with an Open MPI that was built for it");
  }
  return control;
}

}  // namespace nccl_sweep::agent

// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What an agent reads of its machine, from folders that look like /proc and /sys, and the CPUs that
// follow for the workers.
#include <array>

#include <gtest/gtest.h>

#include "agent/adapters.hpp"
#include "agent/cpu_binding.hpp"
#include "agent/gpu.hpp"
#include "agent/hidden_gpus.hpp"
#include "agent/knob_here.hpp"
#include "agent/machine.hpp"
#include "core/device_index.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"
#include "process/sweep_run.hpp"

namespace nccl_sweep::agent {
namespace {

namespace fs = std::filesystem;

class FakeRoot {
 public:
  void write(const std::string& file, const std::string& text) {
    fs::create_directories((folder_.path() / file).parent_path());
    std::ofstream(folder_.path() / file) << text << "\n";
  }
  void add_gpu(const std::string& bus_id, const std::string& uuid, const std::string& cpus,
               const std::string& model = "NVIDIA H200") {
    write("proc/driver/nvidia/gpus/" + bus_id + "/information",
          "Model: \t\t " + model + "\nIRQ:   \t\t 42\nGPU UUID: \t " + uuid);
    write("sys/bus/pci/devices/" + bus_id + "/local_cpulist", cpus);
  }
  void add_port(const std::string& device, const std::string& layer, const std::string& rate,
                const std::string& state = "4: ACTIVE") {
    const std::string port = "sys/class/infiniband/" + device + "/ports/1/";
    write(port + "link_layer", layer);
    write(port + "rate", rate);
    write(port + "state", state);
  }
  const fs::path& path() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

FakeRoot& four_gpus(FakeRoot& root) {
  root.add_gpu("0000:9b:00.0", "GPU-dd44", "32-63");
  root.add_gpu("0000:19:00.0", "GPU-aa11", "0-31");
  root.add_gpu("0000:3b:00.0", "GPU-bb22", "0-31");
  root.add_gpu("0000:5d:00.0", "GPU-bb33", "32-63");
  return root;
}

std::string uuids(const VisibleGpus& visible) {
  std::string text;
  for (const Gpu& gpu : visible.gpus) text += gpu.uuid.substr(4) + " ";
  return text;
}

TEST(Gpus, AreListedInTheOrderOfTheBus) {
  FakeRoot root;
  const std::vector<Gpu> gpus = driver_gpus(four_gpus(root).path());
  EXPECT_EQ(uuids(visible_gpus(gpus, {})), "aa11 bb22 bb33 dd44 ");
  EXPECT_EQ(gpus[3].local_cpus, "32-63");
  EXPECT_EQ(gpus[3].model, "NVIDIA H200");
  EXPECT_TRUE(driver_gpus(root.path() / "nothing").empty());
}

TEST(Gpus, CudaVisibleDevicesPermutesByNumberAndByUuid) {
  FakeRoot root;
  const std::vector<Gpu> gpus = driver_gpus(four_gpus(root).path());
  const auto seen = [&](const std::string& list) {
    return uuids(visible_gpus(gpus, {{"CUDA_VISIBLE_DEVICES", list}}));
  };
  EXPECT_EQ(seen("3,0"), "dd44 aa11 ");
  EXPECT_EQ(seen("GPU-dd44, GPU-BB2"), "dd44 bb22 ");
  EXPECT_EQ(seen("1,7,0"), "bb22 ") << "CUDA stops at the first that is not there";
  EXPECT_EQ(seen("GPU-bb,0"), "") << "which of two is meant is not known";
  EXPECT_EQ(seen(""), "");
  EXPECT_EQ(seen("-1"), "");
}

TEST(Gpus, AnOrderThatTheFilesDoNotTellIsUnknown) {
  FakeRoot root;
  std::vector<Gpu> gpus = driver_gpus(four_gpus(root).path());
  EXPECT_FALSE(visible_gpus(gpus, {{"CUDA_VISIBLE_DEVICES", "MIG-1"}}).unknown_because.empty());
  const Variables slurm{{"SLURM_JOB_GPUS", "2,3"}, {"CUDA_VISIBLE_DEVICES", "0,1"}};
  EXPECT_FALSE(visible_gpus(gpus, slurm).unknown_because.empty());
  const Variables open{{"SLURM_JOB_GPUS", "2,3"}, {"CUDA_VISIBLE_DEVICES", "2,3"}};
  EXPECT_EQ(uuids(visible_gpus(gpus, open)), "bb33 dd44 ");
  gpus[1].model = "NVIDIA T4";
  EXPECT_FALSE(visible_gpus(gpus, {}).unknown_because.empty());
  EXPECT_EQ(visible_gpus(gpus, {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}).gpus.size(), 4U);
}

TEST(Gpus, AWorkerOpensTheOnlyOneOrThatOfItsLocalRank) {
  EXPECT_EQ(device_index(1, 5, 0, 1), 0);  // the launcher shows each process its own
  EXPECT_EQ(device_index(8, 5, 0, 1), 5);  // an agent a GPU, all of them seen
  EXPECT_EQ(device_index(8, 5, 5, 8), 5);  // an agent a node
  EXPECT_EQ(device_index(4, 5, 1, 4), 1);  // two agents a node that see four GPUs each
  EXPECT_EQ(device_index(4, 5, 0, 1), -1);
}

TEST(Gpus, AreCountedWhereTheirOrderIsUnknown) {
  FakeRoot root;
  const std::vector<Gpu> gpus = driver_gpus(four_gpus(root).path());
  EXPECT_EQ(visible_count(gpus, {}), 4);
  EXPECT_EQ(visible_count(gpus, {{"CUDA_VISIBLE_DEVICES", "2"}}), 1);
  // srun --gpus-per-task with devices confined: each task counts its only GPU from 0.
  EXPECT_EQ(visible_count(gpus, {{"SLURM_STEP_GPUS", "2"}, {"CUDA_VISIBLE_DEVICES", "0"}}), 1);
}

// `agents` agents of one node with four GPUs, each seeing `visible` and having `workers`.
HiddenGpus hidden_from(int agents, int visible, int workers) {
  Machine machine;
  machine.host = "node1";
  machine.gpus.assign(4, "NVIDIA H200");
  machine.visible_gpus = visible;
  const auto n = static_cast<std::size_t>(agents);
  return hidden_gpus(std::vector<Machine>(n, machine),
                     {std::vector<std::string>(n, "node1"), std::vector<int>(n, workers)});
}

TEST(HiddenGpus, AreThoseOfNeighboursWhereEachAgentOfANodeSeesItsOwnOnly) {
  const HiddenGpus hidden = hidden_from(4, 1, 1);
  ASSERT_EQ(hidden.of_neighbours.size(), 1U);
  EXPECT_EQ(hidden.of_neighbours.begin()->first, "agents see 1 of 4 GPUs beside 4 workers");
  EXPECT_EQ(hidden.of_neighbours.begin()->second.size(), 4U);
}

TEST(HiddenGpus, APartOfANodeThatAllAgentsSeeIsOnlySaid) {
  for (const auto& [agents, visible, workers] : {std::array{1, 2, 2}, std::array{2, 2, 1}}) {
    const HiddenGpus hidden = hidden_from(agents, visible, workers);
    EXPECT_TRUE(hidden.of_neighbours.empty()) << agents;
    EXPECT_EQ(hidden.unused.size(), 1U) << agents;
  }
}

TEST(HiddenGpus, NothingIsHiddenWhereAllAreSeen) {
  const HiddenGpus hidden = hidden_from(4, 4, 1);
  EXPECT_TRUE(hidden.of_neighbours.empty());
  EXPECT_TRUE(hidden.unused.empty());
}

Machine two_sockets() {
  Machine machine;
  machine.host = "a";
  machine.gpus = {"NVIDIA H200", "NVIDIA H200"};
  machine.gpu_cpus = {"0-31", "32-63"};
  machine.allowed_cpus = "0-63";
  machine.launcher_cpus = "0-63";
  return machine;
}

TEST(CpuBinding, GivesEachWorkerTheCpusNearItsGpu) {
  const CpuBinding binding = cpu_binding({two_sockets()}, {{"a"}, {2}});
  EXPECT_EQ(binding.gpu_local, (std::vector<std::string>{"0-31", "32-63"}));
  EXPECT_TRUE(binding.notes.empty());
}

TEST(CpuBinding, KeepsToWhatTheJobMayUseAndToWhatTheLauncherGave) {
  Machine machine = two_sockets();
  machine.allowed_cpus = "8-63";
  EXPECT_EQ(gpu_local_cpus(machine, 0, 0, 2).cpus, "8-31");
  machine.launcher_cpus = "8-23,40-63";
  EXPECT_EQ(gpu_local_cpus(machine, 0, 0, 2).cpus, "8-23");
  EXPECT_EQ(gpu_local_cpus(machine, 1, 1, 2).cpus, "40-63");
}

TEST(CpuBinding, ALaunchersOneCoreIsNotKeptToAndSaid) {
  Machine machine = two_sockets();
  machine.launcher_cpus = "0";
  const CpuBinding binding = cpu_binding({machine, machine}, {{"a", "a"}, {1, 1}});
  EXPECT_EQ(binding.gpu_local, (std::vector<std::string>{"0-31", "32-63"}));
  ASSERT_EQ(binding.notes.size(), 1U);
  EXPECT_NE(binding.notes[0].find("bound agents to 1 CPU for 1 worker"), std::string::npos);
}

TEST(CpuBinding, AJobWithFewCpusIsWarned) {
  Machine machine = two_sockets();
  machine.allowed_cpus = machine.launcher_cpus = "0-5";
  const CpuBinding binding = cpu_binding({machine}, {{"a"}, {2}});
  EXPECT_EQ(binding.gpu_local, (std::vector<std::string>{"0-5", "all"}));
  ASSERT_EQ(binding.notes.size(), 2U);
  EXPECT_NE(binding.notes[0].find("6 CPUs for the 2 workers of a node"), std::string::npos);
  // The same of two agents with a worker each.
  const CpuBinding apart = cpu_binding({machine, machine}, {{"a", "a"}, {1, 1}});
  ASSERT_FALSE(apart.notes.empty());
  EXPECT_NE(apart.notes[0].find("6 CPUs for the 2 workers of a node"), std::string::npos);
}

TEST(CpuBinding, WhatIsUnknownIsNotBoundAndSaidWhy) {
  Machine machine = two_sockets();
  machine.gpu_cpus.clear();
  machine.gpu_order_unknown = "GPUs of several models";
  const CpuBinding binding = cpu_binding({machine}, {{"a"}, {2}});
  EXPECT_EQ(binding.gpu_local, (std::vector<std::string>{"all", "all"}));
  ASSERT_EQ(binding.notes.size(), 1U);
  EXPECT_NE(binding.notes[0].find("several models"), std::string::npos);
}

TEST(CpuBinding, ACandidatesWordGoesBeforeTheBackendsDefault) {
  agent::Setup setup;
  setup.gpu_local_cpus = {"0-1", "2-3"};
  setup.backend = "nccl";
  EXPECT_EQ(worker_cpus(setup, {}, 1), (std::vector<int>{2, 3}));
  EXPECT_EQ(worker_cpus(setup, Candidate{{{"cpu_bind", "gpu-local"}}}, 0), (std::vector<int>{0, 1}));
  EXPECT_TRUE(worker_cpus(setup, Candidate{{{"cpu_bind", "all"}}}, 1).empty());
  EXPECT_EQ(worker_cpus(setup, Candidate{{{"cpu_bind", "5"}}}, 1), std::vector<int>{5});
  setup.backend = "host";
  EXPECT_TRUE(worker_cpus(setup, {}, 1).empty());
}

TEST(CpuBinding, GpuLocalIsAValueOnRealGpusOnly) {
  const KnobCatalogue catalogue = KnobCatalogue::load(fs::path(SOURCE_FOLDER) / "sweeps/knobs");
  EXPECT_NO_THROW(catalogue.check_value(catalogue.require("nccl", "cpu_bind"), "gpu-local"));
  EXPECT_THROW(catalogue.check_value(catalogue.require("nccl", "cpu_bind"), "gpu-lokal"), Error);
  EXPECT_THROW(catalogue.check_value(catalogue.require("host", "cpu_bind"), "gpu-local"), Error);
}

TEST(CpuBinding, ListsAreWrittenShort) {
  EXPECT_EQ(cpu_list_text({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(cpu_list_text({}), "");
}

TEST(Adapters, AreTheActivePortsWithTheirSpeed) {
  FakeRoot root;
  root.add_port("mlx5_0", "InfiniBand", "400 Gb/sec (4X NDR)");
  root.add_port("mlx5_1", "Ethernet", "100 Gb/sec (4X EDR)");
  root.add_port("mlx5_2", "InfiniBand", "10 Gb/sec (4X SDR)", "1: DOWN");
  const std::map<std::string, std::string> expected{{"mlx5_0:1", "IB 400 Gb/s"},
                                                    {"mlx5_1:1", "RoCE 100 Gb/s"}};
  EXPECT_EQ(active_adapters(root.path()), expected);
  EXPECT_TRUE(active_adapters(root.path() / "nothing").empty());
}

TEST(Machine, ReadsGpusCpusAndGovernorAndIsTheSameAfterTheTrip) {
  FakeRoot root;
  four_gpus(root);
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
  const Machine machine = this_machine(root.path());
  EXPECT_EQ(machine.gpus.size(), 4U);
  EXPECT_EQ(machine.governor, "performance");
  EXPECT_FALSE(parse_cpu_list(machine.allowed_cpus).empty());
  EXPECT_FALSE(parse_cpu_list(machine.launcher_cpus).empty());
  EXPECT_EQ(to_text(machine_from_text(to_text(machine))), to_text(machine));
}

TEST(Machine, WhatDiffersIsSaidByHostOnce) {
  EXPECT_EQ(by_host({{"X unset", {"a", "a", "b"}}, {"X=1", {"c"}}}),
            (std::vector<std::string>{"X unset on a b", "X=1 on c"}));
  EXPECT_EQ(by_host({{"X unset", {"a", "b"}}}), std::vector<std::string>{"X unset on all ranks"});
}

Machine with(std::vector<std::string> gpus, std::map<std::string, std::string> adapters) {
  Machine machine;
  machine.gpus = std::move(gpus);
  machine.adapters = std::move(adapters);
  return machine;
}

TEST(KnobHere, SaysWhatTakesAKnobItsEffect) {
  const KnobCatalogue catalogue = KnobCatalogue::load(fs::path(SOURCE_FOLDER) / "sweeps/knobs");
  const auto here = [&](const std::string& knob, const Machine& machine) {
    return knob_here(catalogue.require("nccl", knob), machine);
  };
  const Machine bare = with({}, {});
  const Machine hopper = with({"NVIDIA H200", "NVIDIA H200"}, {});
  const Machine ampere = with({"NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB"}, {});
  const Machine node = with({"NVIDIA H200"}, {{"mlx5_0:1", "IB 400 Gb/s"}});
  EXPECT_EQ(here("NCCL_IB_QPS_PER_CONNECTION", hopper),
            "no effect: no active IB or RoCE port in /sys/class/infiniband");
  EXPECT_EQ(here("NCCL_IB_QPS_PER_CONNECTION", node),
            "may act: 1 x IB 400 Gb/s, with ranks on several nodes");
  EXPECT_EQ(here("NCCL_MAX_CTAS", bare), "no effect: no NVIDIA driver on this machine");
  EXPECT_EQ(here("NCCL_MAX_CTAS", hopper), "may act: 2 x NVIDIA H200");
  EXPECT_EQ(here("NCCL_P2P_DISABLE", node), "no effect: one GPU on this node");
  EXPECT_EQ(here("NCCL_NVLS_ENABLE", ampere),
            "no effect: NVIDIA A100-SXM4-80GB is older than Hopper");
  EXPECT_TRUE(here("NCCL_NVLS_ENABLE", hopper).starts_with("may act"));
  EXPECT_EQ(here("NCCL_SOCKET_NTHREADS", node),
            "no effect: 1 x IB 400 Gb/s come before sockets, unless NCCL_NET=Socket");
  EXPECT_TRUE(here("NCCL_SOCKET_NTHREADS", hopper).starts_with("may act: sockets"));
  EXPECT_EQ(knob_here(catalogue.require("host", "HOST_CHUNK_BYTES"), bare), "");
}

}  // namespace
}  // namespace nccl_sweep::agent

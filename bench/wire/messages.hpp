// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What agent and worker say to each other over one socketpair, in the order of a trial:
//   worker  Hello                      I am up, this is my device
//   agent   Request                    trial, cases, groups, n and K
//   worker  Ready                      device open; rendezvous of the groups that I lead
//   agent   Connect                    rendezvous of the groups that I am in
//   worker  Connected                  communicators up, start-up seconds by part
//   agent   Measure                    go
//   worker  Progress*                  one way, where I am (for failure reports)
//   worker  Result                     the trial's blocks
//   agent   Bye                        destroy communicators and exit 0
// At any time: worker Failed (then it exits), agent Abort (abort communicators and exit).
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/case.hpp"

namespace nccl_sweep::wire {

inline constexpr int kProtocolVersion = 2;

// The peer sent something that is not a frame or message of this protocol.
class GarbageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Hello {
  int protocol = kProtocolVersion;
  int pid = 0;
  std::string version;  // of nccl-sweep
};

// How a case is to be measured (method of measuring: bench/README.md). ops == 0: burn-in, the
// workers agree on n and K themselves and return them.
struct CaseRequest {
  Case what;
  int partition = 0;      // index into Request::partitions
  int ops_per_block = 0;  // n
  int blocks = 0;         // K
  int warmup_ops = 0;
};

struct Request {
  int trial = 0;
  std::uint64_t seed = 0;  // of the run; data and model noise derive from it and trial
  std::string backend;
  int rank = 0;             // world rank of this worker
  int world = 0;            // workers
  int simulated_ranks = 0;  // model: ranks that the workers stand for; 0 = world
  int local_rank = 0;
  int local_size = 1;
  int agent_rank = 0;  // among the workers of its agent, which may see a part of the node's GPUs
  int agent_size = 1;
  std::map<std::string, std::string> knobs;  // the candidate (environment ones are set already)
  std::string model;                         // model backend: the fabric as JSON text
  // [0] is the world as one group, used for alignment; of the others, the agent names the one group
  // that this worker is in.
  std::vector<Partition> partitions;
  std::vector<CaseRequest> cases;
  Bytes arena;           // bytes of the rotating buffers
  int parity_iters = 0;  // > 0: nccl-tests' recipe
  bool verify = true;
  std::string load;      // "fma" or "copy": time that kernel beside each case instead of blocks
  int load_ctas = 0;     // thread blocks of the load kernel at a time; 0: as many as fit
};

struct Rendezvous {
  int partition = 0;
  int group = 0;
  std::string blob;  // base-16; the ncclUniqueId, or the host backend's "address:port"
};

struct Ready {
  std::vector<Rendezvous> rendezvous;
  std::string device;                           // "NVIDIA H200", "AMD EPYC ..."
  std::map<std::string, std::string> versions;  // "nccl": "2.28.9" ...
  std::vector<std::string> locks;  // resources that only one run may use: "GPU-<uuid>"
  // What must be the same on all ranks, or they hang: "nccl_library": file, size and hash,
  // "nccl.conf": hash ... Compared before anything is connected.
  std::map<std::string, std::string> identity;
};

struct Connect {
  std::vector<Rendezvous> rendezvous;
};

struct Connected {
  std::map<std::string, double> seconds;           // "device", "connect" ...
  std::map<std::string, std::string> environment;  // what the library added to it (conf files)
};

struct Measure {};

struct Progress {
  int case_index = -1;
  std::string step;  // "warm-up", "block 3 of 5", "verify"
  int order = 0;     // grows with every step of the trial: the smallest one is furthest behind
};

struct CaseBlocks {
  int case_index = 0;
  int ops_per_block = 0;
  int warmup_ops = 0;
  std::vector<double> seconds_per_op;  // one a block: this rank's (t1 - t0) / n
  std::int64_t wrong_elements = -1;    // -1: not verified
  std::string first_wrong;             // "rank 1 offset 4096 got 0x.. expected 0x.."
  double cpu_seconds = 0;              // of the process, during the blocks
  double wall_seconds = 0;
  std::vector<double> device_seconds_per_op;  // one a block where the backend has a device clock
  double load_alone_seconds = 0;              // of the load kernel, with Request::load
  double load_beside_seconds = 0;
};

struct Result {
  std::vector<CaseBlocks> cases;
  std::int64_t peak_rss_bytes = 0;
  std::int64_t device_bytes = 0;  // device memory taken since before the communicators
};

struct Failed {
  std::string kind;  // "error", "unsupported", "peer_lost" (a victim, not the cause)
  int case_index = -1;
  std::string step;
  std::string message;  // one line
};

struct Bye {};
struct Abort {};

using Message = std::variant<Hello, Request, Ready, Connect, Connected, Measure, Progress, Result,
                             Failed, Bye, Abort>;

std::string_view name_of(const Message&);

// Payload text of a message and back; parse throws GarbageError.
std::string serialize(const Message&);
Message parse(std::string_view payload);

}  // namespace nccl_sweep::wire

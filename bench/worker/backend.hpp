// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a backend (nccl, host, model) must do. The measuring loop in worker/measure.cpp is the same
// for all; the backend returns durations, so the model never sleeps. All calls come from the
// worker's main thread, except abort(), which comes from the watchdog thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.hpp"
#include "core/units.hpp"
#include "wire/messages.hpp"

namespace nccl_sweep::worker {

// Thrown by backends; become a Failed message. Unsupported: this candidate x case cannot run
// here. PeerLost: another rank went away first, so this rank is a victim.
class Unsupported : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
class PeerLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Verification {
  std::int64_t wrong_elements = 0;
  std::string first_wrong;  // "rank 1 offset 4096 got 0x00 expected 0x3f", empty if none
};

// Bytes of each rotating buffer: what the agent asks for, and room for the largest case.
std::int64_t arena_bytes(const wire::Request&);

class Backend {
 public:
  virtual ~Backend() = default;

  // Opens the device and allocates the arena. Once, before everything else. Fills in what is
  // known of the device.
  virtual void open(const wire::Request&) = 0;
  virtual std::string device() const = 0;
  virtual std::map<std::string, std::string> versions() const = 0;
  // What only one run may use at a time: "GPU-<uuid>". None where sharing only costs speed.
  virtual std::vector<std::string> locks() const { return {}; }

  // Seconds of open() by part: "cuda context", "nccl library" ...
  virtual std::map<std::string, double> open_seconds() const { return {}; }

  // What must be the same on all ranks: the library's file, size and hash, its conf files ...
  virtual std::map<std::string, std::string> identity() const { return {}; }

  // Called on the first rank of each group: makes what the others need to join.
  virtual std::string create_rendezvous(int partition, int group) = 0;

  // Collective over the group's ranks; `ranks` are world ranks, this worker is ranks[index].
  virtual void connect(int partition, const std::vector<int>& ranks, int index,
                       const std::string& rendezvous) = 0;

  // Untimed one-element all-reduce (max) over the world, polled to completion on every rank.
  // Aligns the ranks before a block and lets them agree on a number. Collective over the world.
  virtual double align(double mine) = 0;

  // Fills the case's buffers with data whose result is predictable, before its first op.
  virtual void prepare(const Case&, int partition) = 0;

  // n ops back to back with rotating slots; returns this rank's seconds for all n. Collective over
  // the case's group.
  virtual Seconds run_ops(const Case&, int partition, int n) = 0;

  // Device seconds for all ops of the last run_ops(); nothing without a device clock.
  virtual std::optional<Seconds> device_seconds() { return std::nullopt; }

  // Overwrites the output that the op `ahead` ops from now will fill, so that verify() cannot
  // take an earlier op's answer for its own. Untimed.
  virtual void poison(const Case&, int /*partition*/, int /*ahead*/) {}

  // Seconds of a load kernel by itself and beside ops of the case that run all the while: what the
  // case takes from the compute. Collective over the world. `kind` is Request::load.
  struct LoadTimes {
    Seconds alone{0};
    Seconds beside{0};
  };
  virtual LoadTimes time_load(const Case&, int partition, const std::string& kind, int ctas);

  // Checks the data: out of place the slot of the last op, in place one op on a freshly filled
  // slot. Collective over the case's group.
  virtual Verification verify(const Case&, int partition) = 0;

  // CPU seconds of this process so far, all threads; the model returns what it calculates.
  virtual double cpu_seconds() const;

  // Device memory taken since open() was done, by everything but the arena.
  virtual std::int64_t device_bytes() { return 0; }

  // Destroys the communicators. Collective over the world.
  virtual void disconnect() = 0;

  // Makes a blocked call of the main thread return (ncclCommAbort, closing sockets). Any thread.
  virtual void abort() noexcept = 0;
};

// nullptr when this build has no such backend.
std::unique_ptr<Backend> make_host_backend();
std::unique_ptr<Backend> make_model_backend();
std::unique_ptr<Backend> make_nccl_backend();

}  // namespace nccl_sweep::worker

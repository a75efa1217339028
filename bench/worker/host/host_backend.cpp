// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Real collectives on host memory over TCP. Knobs: sweeps/knobs/host.json; HOST_INTERFACE chooses
// the network interface. A group of one rank copies, as NCCL does.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "kernels/pattern.hpp"
#include "worker/backend.hpp"
#include "worker/host/bootstrap.hpp"
#include "worker/host/buffers.hpp"
#include "worker/host/ring.hpp"
#include "worker/host/sockets.hpp"

namespace nccl_sweep::worker {
namespace {

// The candidate's value, else the environment's, else empty.
std::string knob(const wire::Request& request, const char* name) {
  if (const auto found = request.knobs.find(name); found != request.knobs.end()) {
    return found->second;
  }
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::int64_t size_knob(const wire::Request& request, const char* name, std::int64_t unset,
                       std::int64_t lowest, std::int64_t highest) {
  const std::string text = knob(request, name);
  if (text.empty()) return unset;
  const std::int64_t value = parse_size(text, name).value;
  if (value < lowest || value > highest) {
    throw usage_error(fmt::format("{}={} is not between {} and {}", name, text, lowest, highest));
  }
  return value;
}

HostSettings settings_of(const wire::Request& request) {
  HostSettings settings;
  settings.streams = static_cast<int>(size_knob(request, "HOST_STREAMS_PER_CONNECTION", 1, 1, 64));
  settings.chunk_bytes = size_knob(request, "HOST_CHUNK_BYTES", std::int64_t{512} << 10,
                                   std::int64_t{4} << 10, std::int64_t{64} << 20);
  settings.socket_buffer_bytes = size_knob(request, "HOST_SOCKET_BUFFER_BYTES", 0,
                                           std::int64_t{4} << 10, std::int64_t{1} << 30);
  settings.interface = knob(request, "HOST_INTERFACE");
  return settings;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos) {
      return line.substr(line.find(": ") + 2);
    }
  }
  return "CPU";  // the kernel names no model, as on most Arm machines
}

std::string kernel_version() {
  std::string version;
  std::ifstream("/proc/sys/kernel/osrelease") >> version;
  return version;
}

class HostBackend final : public Backend {
 public:
  void open(const wire::Request& request) override {
    settings_ = settings_of(request);
    seed_ = request.seed ^ kernels::mix(static_cast<std::uint64_t>(request.trial) + 1);
    buffers_.allocate(arena_bytes(request));
  }

  std::string device() const override { return cpu_model(); }
  std::map<std::string, std::string> versions() const override {
    return {{"kernel", kernel_version()}};
  }

  std::string create_rendezvous(int partition, int group) override {
    const auto [place, fresh] = meetings_.try_emplace({partition, group}, settings_);
    led_group_[partition] = group;
    return place->second.rendezvous();
  }

  void connect(int partition, const std::vector<int>& ranks, int index,
               const std::string& rendezvous) override {
    const int size = static_cast<int>(ranks.size());
    RingSockets sockets;
    if (size > 1) {
      const auto led = led_group_.find(partition);
      const MeetingPoint* meeting =
          led == led_group_.end() ? nullptr : &meetings_.at({partition, led->second});
      sockets = join_ring(index, size, rendezvous, meeting, settings_, interrupt_);
    }
    members_.emplace(partition, Member{index, Ring(index, size, std::move(sockets),
                                                   settings_.chunk_bytes, interrupt_)});
  }

  double align(double mine) override {
    double largest = mine;
    auto* bytes = static_cast<std::byte*>(static_cast<void*>(&largest));
    member(0).ring.all_reduce(bytes, bytes, 1, DataType::float64, ReduceOp::max);
    return largest;
  }

  void prepare(const Case& what, int partition) override {
    const Member& me = member(partition);
    const Layout layout = layout_of(what, me.index, me.ring.size());
    buffers_.fill(what, layout, seed_, me.index, me.ring.size(), 0, buffers_.slots(what));
    next_slot_ = 0;
  }

  Seconds run_ops(const Case& what, int partition, int n) override {
    Member& me = member(partition);
    const Layout layout = layout_of(what, me.index, me.ring.size());
    const std::int64_t slots = buffers_.slots(what);
    const auto start = std::chrono::steady_clock::now();
    for (int op = 0; op < n; ++op) {
      last_slot_ = next_slot_;
      next_slot_ = next_slot_ + 1 < slots ? next_slot_ + 1 : 0;
      run_one(what, me.ring, layout, last_slot_);
    }
    return std::chrono::steady_clock::now() - start;
  }

  Verification verify(const Case& what, int partition) override {
    Member& me = member(partition);
    const int size = me.ring.size();
    const Layout layout = layout_of(what, me.index, size);
    if (what.placement == Placement::in_place) {
      buffers_.fill(what, layout, seed_, me.index, size, last_slot_, last_slot_ + 1);
      run_one(what, me.ring, layout, last_slot_);
    }
    Verification result = buffers_.check(what, layout, seed_, me.index, size, last_slot_);
    if (result.wrong_elements > 0) {
      result.first_wrong = fmt::format("rank {} {}", me.index, result.first_wrong);
    }
    return result;
  }

  void disconnect() override {
    if (!members_.empty()) align(0);  // nobody closes while another one still waits for data
    members_.clear();
    meetings_.clear();
  }

  void abort() noexcept override { interrupt_.raise(); }

 private:
  struct Member {  // of this rank's group in a partition
    int index = 0;
    Ring ring;
  };

  Member& member(int partition) {
    const auto found = members_.find(partition);
    if (found == members_.end()) {
      throw std::runtime_error(fmt::format("partition {} is not connected", partition));
    }
    return found->second;
  }

  void run_one(const Case& what, Ring& ring, const Layout& layout, std::int64_t slot) {
    const std::byte* in = buffers_.input(what, layout, slot);
    std::byte* out = buffers_.output(what, layout, slot);
    const std::int64_t width = element_bytes(what.dtype);
    if (what.collective == Collective::all_gather) {
      ring.all_gather(in, out, layout.send_bytes);
    } else if (what.collective == Collective::reduce_scatter) {
      ring.reduce_scatter(in, out, layout.receive_bytes / width, what.dtype, what.op);
    } else if (what.collective == Collective::all_reduce) {
      ring.all_reduce(in, out, layout.send_bytes / width, what.dtype, what.op);
    } else {
      throw Unsupported(fmt::format(
          "the host backend runs all_gather, reduce_scatter and all_reduce, not {}",
          to_string(what.collective)));
    }
  }

  HostSettings settings_;
  std::uint64_t seed_ = 0;
  Interrupt interrupt_;
  Buffers buffers_;
  std::map<std::pair<int, int>, MeetingPoint> meetings_;  // of the groups that this rank leads
  std::map<int, int> led_group_;                          // partition to group
  std::map<int, Member> members_;
  std::int64_t next_slot_ = 0;
  std::int64_t last_slot_ = 0;
};

}  // namespace

std::unique_ptr<Backend> make_host_backend() { return std::make_unique<HostBackend>(); }

}  // namespace nccl_sweep::worker

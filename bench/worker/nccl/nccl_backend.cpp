// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL on GPUs, timed as nccl-tests times it: the clock starts right after the alignment, n ops are
// queued, the stream is polled. The candidate's environment variables are in place before this
// process starts; the other knobs (library, buffer kind, communicator fields) are set here.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/device_data.hpp"
#include "kernels/load.hpp"
#include "worker/arithmetic.hpp"
#include "worker/backend.hpp"
#include "worker/layout.hpp"
#include "worker/nccl/buffers.hpp"
#include "worker/nccl/communicator_config.hpp"
#include "worker/nccl/cuda_device.hpp"
#include "worker/nccl/cuda_objects.hpp"
#include "worker/nccl/device_check.hpp"
#include "worker/nccl/identity.hpp"
#include "worker/nccl/load_timer.hpp"
#include "worker/nccl/nccl_library.hpp"
#include "worker/nccl/operation.hpp"

namespace nccl_sweep::worker {
namespace {

using clock = std::chrono::steady_clock;

std::string to_hex(const ncclUniqueId& id) {
  std::string hex;
  for (char c : id.internal) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}
ncclUniqueId from_hex(const std::string& hex) {
  ncclUniqueId id{};
  if (hex.size() != 2 * sizeof id.internal) throw std::runtime_error("not an ncclUniqueId");
  for (std::size_t i = 0; i < sizeof id.internal; ++i) {
    unsigned value = 0;
    std::from_chars(&hex[2 * i], &hex[2 * i] + 2, value, 16);
    id.internal[i] = static_cast<char>(value);
  }
  return id;
}

std::string knob(const wire::Request& request, const char* name, const char* otherwise) {
  const auto found = request.knobs.find(name);
  return found == request.knobs.end() ? otherwise : found->second;
}

// Such communicators start a thread for each group of ops, and want to be waited for between them.
void refuse_non_blocking() {
  const char* value = std::getenv("NCCL_COMM_BLOCKING");
  if (value != nullptr && std::string_view(value) == "0") {
    throw Unsupported("NCCL_COMM_BLOCKING=0: non-blocking communicators are not measured");
  }
}

class NcclBackend final : public Backend {
 public:
  void open(const wire::Request& request) override {
    const auto start = clock::now();
    device_ = choose_device(request);
    cuda_check(cudaFree(nullptr), "CUDA context");
    const auto context = clock::now();
    refuse_non_blocking();
    nccl_ = NcclLibrary::open(knob(request, "nccl_library", "libnccl.so.2"));
    knobs_ = request.knobs;
    const auto library = clock::now();
    seed_ = request.seed ^ kernels::mix(static_cast<std::uint64_t>(request.trial) + 1);
    events_ = request.parity_iters == 0;
    arena_ = std::max<std::int64_t>(arena_bytes(request), 4096);
    // Beside a load the collective's thread blocks must not wait for a whole kernel of it.
    stream_ = std::make_unique<Stream>(request.load.empty() ? Stream::Priority::usual
                                                            : Stream::Priority::highest);
    start_ = std::make_unique<Event>();
    end_ = std::make_unique<Event>();
    buffers_ = Buffers(nccl_, parse_buffer_kind(knob(request, "buffer", "plain")), arena_);
    scratch_ = DeviceMemory(256);
    check_ = std::make_unique<DeviceCheck>(seed_, stream_->get());
    free_after_open_ = free_bytes();
    const auto end = clock::now();
    open_seconds_ = {{"cuda context", seconds(start, context)},
                     {"nccl library", seconds(context, library)},
                     {"buffers", seconds(library, end)}};
  }

  std::string device() const override { return device_name(device_); }
  std::map<std::string, std::string> versions() const override {
    return {{"nccl", nccl_.version_text()},
            {"nccl_library", nccl_.file},
            {"cuda_driver", driver_version()},
            {"cuda_runtime", runtime_version()}};
  }
  std::map<std::string, double> open_seconds() const override { return open_seconds_; }
  std::vector<std::string> locks() const override { return {device_uuid(device_)}; }
  std::map<std::string, std::string> identity() const override { return library_identity(nccl_); }

  std::string create_rendezvous(int, int) override {
    ncclUniqueId id{};
    nccl_.check(nccl_.get_unique_id(&id), "ncclGetUniqueId");
    return to_hex(id);
  }

  void connect(int partition, const std::vector<int>& ranks, int index,
               const std::string& rendezvous) override {
    ncclConfig_t config = communicator_config(knobs_, nccl_.version());
    Member member{index, static_cast<int>(ranks.size()), nullptr};
    nccl_.check(nccl_.comm_init_rank_config(&member.comm, member.size, from_hex(rendezvous), index,
                                            &config),
                "ncclCommInitRankConfig");
    registrations_[partition] = buffers_.register_with(member.comm);
    members_[partition] = member;
  }

  double align(double mine) override {
    auto* value = static_cast<double*>(static_cast<void*>(scratch_.get()));
    double largest = mine;
    copy_now(value, &largest, sizeof largest, stream_->get());
    const Member& world = member(0);
    nccl_.check(nccl_.all_reduce(value, value, 1, ncclFloat64, ncclMax, world.comm, stream_->get()),
                "ncclAllReduce (alignment)");
    poll(world);
    // Ranks that want no number need no copy: it would come between alignment and clock.
    if (mine > 0) copy_now(&largest, value, sizeof largest, stream_->get());
    return largest;
  }

  void prepare(const Case& what, int partition) override {
    const Member& me = member(partition);
    graph_ = Graph();
    for (std::int64_t slot = 0; slot < slots(what); ++slot) {
      check_->fill(what, me.index, me.size, place(what, me, slot));
    }
    poll(me);
    next_slot_ = 0;
    if (what.graph) capture(what, me);
  }

  Seconds run_ops(const Case& what, int partition, int n) override {
    const Member& me = member(partition);
    if (events_) start_->record(stream_->get());
    const auto start = clock::now();
    if (what.graph) {
      for (int done = 0; done < n; done += ops_per_graph(what)) graph_.launch(stream_->get());
      last_slot_ = (ops_per_graph(what) - 1) % slots(what);
    } else {
      enqueue_ops(what, me, n);
    }
    if (events_) end_->record(stream_->get());
    poll(me);
    return clock::now() - start;
  }

  std::optional<Seconds> device_seconds() override {
    if (!events_) return std::nullopt;
    return Seconds{seconds_between(*start_, *end_)};
  }

  void poison(const Case& what, int partition, int ahead) override {
    const Member& me = member(partition);
    const std::int64_t slot = what.graph ? (ops_per_graph(what) - 1) % slots(what)
                                         : (next_slot_ + ahead - 1) % slots(what);
    // In place the output is the next op's input: verify() fills a slot anew instead.
    if (what.placement == Placement::in_place) return;
    check_->poison(what, me.index, me.size, place(what, me, slot));
    poll(me);
  }

  LoadTimes time_load(const Case& what, int partition, const std::string& kind, int ctas) override {
    const Member& me = member(partition);
    if (load_ == nullptr) load_ = std::make_unique<LoadTimer>(kind, ctas);
    const LoadTimer::Collective collective{[&](int n) { enqueue_ops(what, me, n); },
                                           [&] { poll(me); },
                                           [&](double mine) { return align(mine); }};
    return load_->time(collective);
  }

  Verification verify(const Case& what, int partition) override {
    const Member& me = member(partition);
    const BufferPlace slot = place(what, me, last_slot_);
    if (what.placement == Placement::in_place) {
      check_->fill(what, me.index, me.size, slot);
      enqueue(nccl_, what, me, slot.in, slot.out, stream_->get());
      poll(me);
    }
    return check_->verify(what, me.index, me.size, slot);
  }

  std::int64_t device_bytes() override {
    return std::max<std::int64_t>(0, free_after_open_ - free_bytes());
  }

  void disconnect() override {
    graph_ = Graph();
    for (auto& [partition, member] : members_) {
      buffers_.deregister(member.comm, registrations_[partition]);
      nccl_.check(nccl_.comm_finalize(member.comm), "ncclCommFinalize");
      nccl_.check(nccl_.comm_destroy(member.comm), "ncclCommDestroy");
    }
    members_.clear();
  }

  // The main thread sees it in its polling loop and aborts the communicators itself: ncclCommAbort
  // frees them, and it still uses them. Where it is blocked inside NCCL, the watchdog ends it.
  void abort() noexcept override { aborted_ = true; }

 private:
  static double seconds(clock::time_point from, clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  const Member& member(int partition) const {
    const auto found = members_.find(partition);
    if (found == members_.end()) {
      throw std::runtime_error(fmt::format("partition {} is not connected", partition));
    }
    return found->second;
  }

  std::int64_t slots(const Case& what) const { return slots_of(Bytes{arena_}, what.size).count; }

  BufferPlace place(const Case& what, const Member& me, std::int64_t slot) const {
    const Layout layout = layout_of(what, me.index, me.size);
    const std::int64_t base = slot * slots_of(Bytes{arena_}, what.size).stride;
    const bool in_place = what.placement == Placement::in_place;
    return {in_place ? buffers_.receive() + base + layout.send_offset : buffers_.send() + base,
            buffers_.receive() + base + (in_place ? layout.receive_offset : 0), layout};
  }

  // Timed: nothing is worked out anew for each op.
  void enqueue_ops(const Case& what, const Member& me, int n) {
    const Slots slots = slots_of(Bytes{arena_}, what.size);
    const BufferPlace first = place(what, me, 0);
    for (int op = 0; op < n; ++op) {
      last_slot_ = next_slot_;
      next_slot_ = next_slot_ + 1 < slots.count ? next_slot_ + 1 : 0;
      const std::int64_t offset = last_slot_ * slots.stride;
      enqueue(nccl_, what, me, first.in + offset, first.out + offset, stream_->get());
    }
  }

  // One plain op first: it connects, which a capture cannot do with every NCCL.
  void capture(const Case& what, const Member& me) {
    enqueue_ops(what, me, 1);
    poll(me);
    next_slot_ = 0;
    graph_ = Graph(stream_->get(), [&] { enqueue_ops(what, me, ops_per_graph(what)); });
    next_slot_ = 0;
  }

  // Looks for errors of the communicator, and for the agent's wish to abort.
  void look_for_errors(const Member& me) {
    ncclResult_t error = ncclSuccess;
    nccl_.check(nccl_.comm_get_async_error(me.comm, &error), "ncclCommGetAsyncError");
    if (error == ncclRemoteError) throw PeerLost("NCCL: another rank went away");
    nccl_.check(error, "asynchronous NCCL error");
    if (aborted_) {
      for (auto& [partition, member] : members_) nccl_.comm_abort(member.comm);
      throw PeerLost("aborted by the agent");
    }
  }

  // As nccl-tests: query the stream without sleeping and look for errors of the communicator.
  void poll(const Member& me) {
    for (;;) {
      const cudaError_t state = cudaStreamQuery(stream_->get());
      if (state != cudaSuccess && state != cudaErrorNotReady) cuda_check(state, "cudaStreamQuery");
      look_for_errors(me);
      if (state == cudaSuccess) return;
    }
  }

  NcclLibrary nccl_;
  std::map<std::string, std::string> knobs_;
  int device_ = 0;
  std::uint64_t seed_ = 0;
  std::int64_t arena_ = 0;
  std::int64_t free_after_open_ = 0;
  bool events_ = true;
  std::map<std::string, double> open_seconds_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Event> start_;
  std::unique_ptr<Event> end_;
  Buffers buffers_;
  DeviceMemory scratch_;
  std::unique_ptr<DeviceCheck> check_;
  std::unique_ptr<LoadTimer> load_;
  Graph graph_;
  std::map<int, Member> members_;
  std::map<int, Buffers::Registration> registrations_;
  std::int64_t next_slot_ = 0;
  std::int64_t last_slot_ = 0;
  std::atomic<bool> aborted_ = false;
};

}  // namespace

std::unique_ptr<Backend> make_nccl_backend() { return std::make_unique<NcclBackend>(); }

}  // namespace nccl_sweep::worker

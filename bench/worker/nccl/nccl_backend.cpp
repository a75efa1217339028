// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL on GPUs, timed as nccl-tests times it: the clock starts right after the alignment, n ops are
// queued, the stream is polled. The candidate's environment variables are in place before this
// process starts; of the other knobs only nccl_library is known here.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "kernels/device_data.hpp"
#include "worker/arithmetic.hpp"
#include "worker/backend.hpp"
#include "worker/layout.hpp"
#include "worker/nccl/cuda_device.hpp"
#include "worker/nccl/nccl_library.hpp"

namespace nccl_sweep::worker {
namespace {

constexpr int kPoison = 0x7b;

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

ncclDataType_t nccl_type(DataType type) { return static_cast<ncclDataType_t>(type); }
ncclRedOp_t nccl_op(ReduceOp op) { return static_cast<ncclRedOp_t>(op); }

class NcclBackend final : public Backend {
 public:
  void open(const wire::Request& request) override {
    reject_unbuilt_knobs(request);
    device_ = choose_device(request.local_rank, request.local_size);
    const auto file = request.knobs.find("nccl_library");
    nccl_ = NcclLibrary::open(file == request.knobs.end() ? "libnccl.so.2" : file->second);
    seed_ = request.seed ^ kernels::mix(static_cast<std::uint64_t>(request.trial) + 1);
    arena_ = std::max<std::int64_t>(request.arena.value, 4096);
    for (const auto& item : request.cases) arena_ = std::max(arena_, item.what.size.value);
    cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    send_ = DeviceMemory(arena_);
    receive_ = DeviceMemory(arena_);
    scratch_ = DeviceMemory(256);
  }

  std::string device() const override { return device_name(device_); }
  std::map<std::string, std::string> versions() const override {
    return {{"nccl", nccl_.version_text()},
            {"cuda_driver", driver_version()},
            {"cuda_runtime", runtime_version()}};
  }

  std::vector<std::string> locks() const override { return {device_uuid(device_)}; }

  std::string create_rendezvous(int, int) override {
    ncclUniqueId id{};
    nccl_.check(nccl_.get_unique_id(&id), "ncclGetUniqueId");
    return to_hex(id);
  }

  void connect(int partition, const std::vector<int>& ranks, int index,
               const std::string& rendezvous) override {
    Member member{index, static_cast<int>(ranks.size()), nullptr};
    nccl_.check(nccl_.comm_init_rank(&member.comm, member.size, from_hex(rendezvous), index),
                "ncclCommInitRank");
    members_[partition] = member;
  }

  double align(double mine) override {
    auto* value = static_cast<double*>(static_cast<void*>(scratch_.get()));
    double largest = mine;
    copy(value, &largest, sizeof largest);
    const Member& world = member(0);
    nccl_.check(nccl_.all_reduce(value, value, 1, ncclFloat64, ncclMax, world.comm, stream_),
                "ncclAllReduce (alignment)");
    poll(world);
    // Ranks that want no number need no copy: it would come between alignment and clock.
    if (mine > 0) copy(&largest, value, sizeof largest);
    return largest;
  }

  void prepare(const Case& what, int partition) override {
    const Member& me = member(partition);
    const Layout layout = layout_of(what, me.index, me.size);
    for (std::int64_t slot = 0; slot < slots(what); ++slot) fill(what, layout, me, slot);
    poll(me);
    next_slot_ = 0;
  }

  Seconds run_ops(const Case& what, int partition, int n) override {
    const Member& me = member(partition);
    const Layout layout = layout_of(what, me.index, me.size);
    const std::int64_t count = slots(what);
    const auto start = std::chrono::steady_clock::now();
    for (int op = 0; op < n; ++op) {
      last_slot_ = next_slot_;
      next_slot_ = next_slot_ + 1 < count ? next_slot_ + 1 : 0;
      launch(what, me, layout, last_slot_);
    }
    poll(me);
    return std::chrono::steady_clock::now() - start;
  }

  Verification verify(const Case& what, int partition) override {
    const Member& me = member(partition);
    const Layout layout = layout_of(what, me.index, me.size);
    if (what.placement == Placement::in_place) {
      fill(what, layout, me, last_slot_);
      launch(what, me, layout, last_slot_);
    }
    auto* found = static_cast<kernels::Mismatch*>(static_cast<void*>(scratch_.get() + 64));
    kernels::Mismatch result{0, kernels::kNothingWrong};
    copy(found, &result, sizeof result);
    check(what, layout, me, found);
    poll(me);
    copy(&result, found, sizeof result);
    Verification verification{static_cast<std::int64_t>(result.count), {}};
    if (result.count > 0) {
      verification.first_wrong =
          fmt::format("rank {} offset {}", me.index,
                      static_cast<std::int64_t>(result.first) * element_bytes(what.dtype));
    }
    return verification;
  }

  void disconnect() override {
    for (auto& [partition, member] : members_) {
      nccl_.check(nccl_.comm_finalize(member.comm), "ncclCommFinalize");
      nccl_.check(nccl_.comm_destroy(member.comm), "ncclCommDestroy");
    }
    members_.clear();
  }

  // The main thread sees it in its polling loop and aborts the communicators itself: ncclCommAbort
  // frees them, and it still uses them. Where it is blocked inside NCCL, the watchdog ends it.
  void abort() noexcept override { aborted_ = true; }

 private:
  struct Member {  // of this rank's group in a partition
    int index = 0;
    int size = 1;
    ncclComm_t comm = nullptr;
  };

  static void reject_unbuilt_knobs(const wire::Request& request) {
    for (const char* name : {"buffer", "min_ctas", "max_ctas", "nvls_ctas", "cga_cluster_size",
                             "cta_policy", "n_channels_per_net_peer"}) {
      if (request.knobs.contains(name)) {
        throw Unsupported(fmt::format("this build's nccl backend cannot set {} yet", name));
      }
    }
  }

  const Member& member(int partition) const {
    const auto found = members_.find(partition);
    if (found == members_.end()) {
      throw std::runtime_error(fmt::format("partition {} is not connected", partition));
    }
    return found->second;
  }

  std::int64_t slots(const Case& what) const {
    return slots_of(Bytes{arena_}, what.size).count;
  }
  std::byte* input(const Case& what, const Layout& layout, std::int64_t slot) const {
    const std::int64_t base = slot * slots_of(Bytes{arena_}, what.size).stride;
    return what.placement == Placement::in_place ? receive_.get() + base + layout.send_offset
                                                 : send_.get() + base;
  }
  std::byte* output(const Case& what, const Layout& layout, std::int64_t slot) const {
    const std::int64_t base = slot * slots_of(Bytes{arena_}, what.size).stride;
    return receive_.get() + base +
           (what.placement == Placement::in_place ? layout.receive_offset : 0);
  }

  void fill(const Case& what, const Layout& layout, const Member& me, std::int64_t slot) {
    cuda_check(cudaMemsetAsync(output(what, layout, slot), kPoison,
                               static_cast<std::size_t>(layout.receive_bytes), stream_),
               "cudaMemsetAsync");
    std::byte* in = input(what, layout, slot);
    if (reduces(what.collective)) {
      kernels::fill_contribution(what.dtype, pattern_of(what, me), me.index, in,
                                 layout.send_bytes / element_bytes(what.dtype), stream_);
    } else {
      kernels::fill_random(in, layout.send_bytes, seed_, me.index, stream_);
    }
    cuda_check(cudaGetLastError(), "fill kernel");
  }

  void check(const Case& what, const Layout& layout, const Member& me, kernels::Mismatch* found) {
    const std::byte* got = output(what, layout, last_slot_);
    const std::int64_t width = element_bytes(what.dtype);
    if (what.collective == Collective::all_gather) {
      for (int rank = 0; rank < me.size; ++rank) {
        kernels::verify_random(got + rank * layout.send_bytes, layout.send_bytes, seed_, rank,
                               static_cast<int>(width), rank * layout.send_bytes / width, found,
                               stream_);
      }
    } else {
      const std::int64_t count = layout.receive_bytes / width;
      const std::int64_t first =
          what.collective == Collective::reduce_scatter ? me.index * count : 0;
      kernels::verify_answer(what.dtype, pattern_of(what, me), got, first, count, found, stream_);
    }
    cuda_check(cudaGetLastError(), "verify kernel");
  }

  kernels::Pattern pattern_of(const Case& what, const Member& me) const {
    return kernels::make_pattern(what.dtype, what.op, me.size, seed_);
  }

  void launch(const Case& what, const Member& me, const Layout& layout, std::int64_t slot) {
    const void* in = input(what, layout, slot);
    void* out = output(what, layout, slot);
    const auto width = static_cast<std::size_t>(element_bytes(what.dtype));
    const std::size_t sent = static_cast<std::size_t>(layout.send_bytes) / width;
    const std::size_t received = static_cast<std::size_t>(layout.receive_bytes) / width;
    const ncclDataType_t type = nccl_type(what.dtype);
    if (what.collective == Collective::all_gather) {
      nccl_.check(nccl_.all_gather(in, out, sent, type, me.comm, stream_), "ncclAllGather");
    } else if (what.collective == Collective::reduce_scatter) {
      nccl_.check(nccl_.reduce_scatter(in, out, received, type, nccl_op(what.op), me.comm, stream_),
                  "ncclReduceScatter");
    } else {
      nccl_.check(nccl_.all_reduce(in, out, sent, type, nccl_op(what.op), me.comm, stream_),
                  "ncclAllReduce");
    }
  }

  // As nccl-tests: query the stream without sleeping and look for errors of the communicator.
  void poll(const Member& me) {
    for (;;) {
      const cudaError_t state = cudaStreamQuery(stream_);
      if (state == cudaSuccess) return;
      if (state != cudaErrorNotReady) cuda_check(state, "cudaStreamQuery");
      ncclResult_t error = ncclSuccess;
      nccl_.check(nccl_.comm_get_async_error(me.comm, &error), "ncclCommGetAsyncError");
      if (error == ncclRemoteError) throw PeerLost("NCCL: another rank went away");
      if (error != ncclInProgress) nccl_.check(error, "asynchronous NCCL error");
      if (aborted_) {
        for (auto& [partition, member] : members_) nccl_.comm_abort(member.comm);
        throw PeerLost("aborted by the agent");
      }
    }
  }

  void copy(void* to, const void* from, std::size_t bytes) {
    cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
    cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  NcclLibrary nccl_;
  int device_ = 0;
  std::uint64_t seed_ = 0;
  std::int64_t arena_ = 0;
  cudaStream_t stream_ = nullptr;
  DeviceMemory send_;
  DeviceMemory receive_;
  DeviceMemory scratch_;
  std::map<int, Member> members_;
  std::int64_t next_slot_ = 0;
  std::int64_t last_slot_ = 0;
  std::atomic<bool> aborted_ = false;
};

}  // namespace

std::unique_ptr<Backend> make_nccl_backend() { return std::make_unique<NcclBackend>(); }

}  // namespace nccl_sweep::worker

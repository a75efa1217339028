// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A simulated fabric on the same path as the real ones: durations are calculated, never slept. A
// few worker processes stand for all ranks of the figures; they exchange no data.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "worker/backend.hpp"
#include "worker/model/faults.hpp"
#include "worker/model/model_fabric.hpp"

namespace nccl_sweep::worker {
namespace {

// The candidate's values, else the environment's, of the knobs that the model declares.
KnobValues knob_values(const wire::Request& request, const ModelFile& model) {
  KnobValues values;
  for (const Knob& knob : model.knobs) {
    if (const char* value = std::getenv(knob.name.c_str())) values[knob.name] = value;
  }
  for (const auto& [name, value] : request.knobs) values[name] = value;
  return values;
}

class ModelBackend final : public Backend {
 public:
  void open(const wire::Request& request) override {
    request_ = request;
    ModelFile model = parse_model(request.model, "model");
    const int ranks = request.simulated_ranks > 0 ? request.simulated_ranks : model.ranks;
    KnobValues values = knob_values(request, model);
    fabric_.emplace(std::move(model), std::move(values), ranks);
    maybe_fail(ModelFaultPhase::hello);
  }

  std::string device() const override {
    const ModelFile& model = fabric_->file();
    return model.device.empty() ? model.name + " (SIMULATED)" : model.device;
  }
  std::map<std::string, std::string> versions() const override {
    return {{"model", fabric_->file().name}};
  }

  std::string create_rendezvous(int, int) override { return "00"; }

  void connect(int partition, const std::vector<int>&, int, const std::string&) override {
    if (partition == 0) maybe_fail(ModelFaultPhase::connect);
  }

  // The other workers' numbers are known without asking: they are calculated. `mine` is what
  // run_ops() returned last, or nothing.
  double align(double mine) override { return std::max(mine, mine > 0 ? slowest_ : 0.0); }

  void prepare(const Case& what, int) override {
    const auto found = std::find_if(request_.cases.begin(), request_.cases.end(),
                                    [&](const auto& item) { return item.what == what; });
    case_index_ = static_cast<int>(found - request_.cases.begin());
    region_ = 0;
  }

  // The first timed region after prepare() is the warm-up; faults happen in the blocks after it.
  Seconds run_ops(const Case& what, int, int n) override {
    if (region_ > 0) maybe_fail(ModelFaultPhase::measure);
    Seconds mine{0};
    slowest_ = 0;
    for (int rank = 0; rank < request_.world; ++rank) {
      const Seconds time = fabric_->seen_time(what, request_.seed, request_.trial, region_, rank) *
                           (n * slowness(rank));
      slowest_ = std::max(slowest_, time.count());
      if (rank == request_.rank) mine = time;
    }
    cpu_seconds_ += mine.count() * fabric_->cpu_per_second(what);
    ++region_;
    return mine;
  }

  Verification verify(const Case&, int) override {
    if (find_fault(ModelFaultPhase::measure, ModelFaultKind::wrong_data, request_.rank) ==
        nullptr) {
      return {};
    }
    return {3, "rank 0 offset 4096 got 0x00 expected 0x3f (planted)"};
  }

  double cpu_seconds() const override { return cpu_seconds_; }
  void disconnect() override { maybe_fail(ModelFaultPhase::drain); }
  void abort() noexcept override { aborted_.raise(); }

 private:
  bool strikes(const ModelFault& fault, ModelFaultPhase phase, int rank) const {
    return fault.phase == phase && (fault.rank < 0 || fault.rank == rank) &&
           (fault.trial < 0 || fault.trial == request_.trial) &&
           (fault.case_index < 0 || phase != ModelFaultPhase::measure ||
            fault.case_index == case_index_) &&
           fabric_->matches(fault.when);
  }
  const ModelFault* find_fault(ModelFaultPhase phase, ModelFaultKind kind, int rank) const {
    for (const ModelFault& fault : fabric_->file().faults) {
      if (fault.kind == kind && strikes(fault, phase, rank)) return &fault;
    }
    return nullptr;
  }
  void maybe_fail(ModelFaultPhase phase) {
    for (const ModelFault& fault : fabric_->file().faults) {
      if (strikes(fault, phase, request_.rank)) commit(fault, aborted_);
    }
  }
  double slowness(int rank) const {
    const auto* fault = find_fault(ModelFaultPhase::measure, ModelFaultKind::slow, rank);
    return fault == nullptr ? 1 : fault->factor;
  }

  wire::Request request_;
  std::optional<ModelFabric> fabric_;
  AbortSignal aborted_;
  int case_index_ = -1;
  int region_ = 0;      // timed regions since prepare()
  double slowest_ = 0;  // of all workers in the last region
  double cpu_seconds_ = 0;
};

}  // namespace

std::unique_ptr<Backend> make_model_backend() { return std::make_unique<ModelBackend>(); }

}  // namespace nccl_sweep::worker

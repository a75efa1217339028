// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Owners of CUDA's streams, events and graphs, each freed with its owner.
#pragma once

#include <cuda_runtime_api.h>

#include <utility>

#include "worker/nccl/cuda_device.hpp"

namespace nccl_sweep::worker {

class Stream {
 public:
  enum class Priority { usual, highest };
  explicit Stream(Priority priority = Priority::usual) {
    int least = 0;
    int greatest = 0;
    cuda_check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "stream priorities");
    cuda_check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                            priority == Priority::highest ? greatest : least),
               "cudaStreamCreate");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { cuda_check(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream) {
    cuda_check(cudaEventRecord(event_, stream), "cudaEventRecord");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Both must be over: device seconds from one to the other.
inline double seconds_between(const Event& start, const Event& end) {
  float milliseconds = 0;
  cuda_check(cudaEventElapsedTime(&milliseconds, start.get(), end.get()), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

// What `enqueue` puts into `stream`, captured once and launched again and again.
class Graph {
 public:
  Graph() = default;
  template <class Enqueue>
  Graph(cudaStream_t stream, Enqueue&& enqueue) {
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
    enqueue();
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamEndCapture(stream, &graph), "end capture");
    const cudaError_t error = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    cuda_check(error, "cudaGraphInstantiate");
  }
  Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~Graph() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }
  void launch(cudaStream_t stream) const {
    cuda_check(cudaGraphLaunch(graph_, stream), "cudaGraphLaunch");
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace nccl_sweep::worker

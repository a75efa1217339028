// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// A scripted worker: speaks the protocol with made-up times and misbehaves as it is told, so that
// the agent's answers to faults can be tested one by one. It stands in for nccl-sweep-worker
// through NCCL_SWEEP_WORKER. The script is the environment:
//   FAKE_FAULT  kind@phase:rank   kinds below; phase hello, connect, measure or drain
//   FAKE_WHEN   NAME=VALUE        only where the environment has that (a candidate's knob)
//   FAKE_ILL    file              made by whoever misbehaves; from then on all trials do
//   FAKE_LOCK   name              device that Ready claims
//   FAKE_LIBRARY anything         says which library it would have opened, and logs as NCCL does
//   FAKE_OTHER  rank              this one opens another library, where FAKE_WHEN applies
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "wire/channel.hpp"

namespace {

using namespace nccl_sweep;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

bool fault_applies() {
  if (!variable("FAKE_ILL").empty() && access(variable("FAKE_ILL").c_str(), F_OK) == 0) return true;
  const std::string when = variable("FAKE_WHEN");
  const std::size_t equals = when.find('=');
  return when.empty() ||
         variable(when.substr(0, equals).c_str()) == when.substr(equals + 1);
}

class FakeWorker {
 public:
  int run() {
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof(cpus), &cpus);
    std::cout << "fake worker " << getpid() << " starts on " << CPU_COUNT(&cpus)
              << " CPUs from " << std::filesystem::read_symlink("/proc/self/exe").string()
              << std::endl;
    misbehave("early", true);
    wire::Hello hello;
    hello.pid = getpid();
    hello.version = "fake";
    channel_.send(hello);
    request_ = std::get<wire::Request>(channel_.receive());
    misbehave("hello");
    wire::Ready ready;
    ready.device = "fake device";
    if (!variable("FAKE_LOCK").empty()) ready.locks = {variable("FAKE_LOCK")};
    const bool other = variable("FAKE_OTHER") == std::to_string(request_.rank) && fault_applies();
    ready.identity["library"] = other ? "2.28.3" : "2.28.9";
    if (!variable("FAKE_LIBRARY").empty()) name_library(ready);
    for (std::size_t p = 0; p < request_.partitions.size(); ++p) {
      for (std::size_t g = 0; g < request_.partitions[p].size(); ++g) {
        if (request_.partitions[p][g].front() == request_.rank) {
          ready.rendezvous.push_back({static_cast<int>(p), static_cast<int>(g), "fa4e"});
        }
      }
    }
    channel_.send(ready);
    channel_.receive();  // Connect
    misbehave("connect");
    channel_.send(wire::Connected{{{"connect", 0.001}}, {}});
    channel_.receive();  // Measure
    wire::Result result = measure();
    misbehave("measure");
    channel_.send(result);
    channel_.receive();  // Bye
    misbehave("drain");
    return 0;
  }

 private:
  void name_library(wire::Ready& ready) const {
    const auto asked = request_.knobs.find("nccl_library");
    const std::string file =
        asked == request_.knobs.end() ? "by the loader"
                                      : std::filesystem::canonical(asked->second).string();
    std::cout << "opens " << file << "\nvm:1:1 [0] NCCL INFO NCCL version 2.28.9+cuda13.0"
              << std::endl;
    ready.versions["nccl_library"] = file;
    ready.identity["nccl_library"] = file + " 2.28.9";
  }

  wire::Result measure() {
    wire::Result result;
    for (std::size_t i = 0; i < request_.cases.size(); ++i) {
      channel_.send(wire::Progress{static_cast<int>(i), "block 1 of 3", static_cast<int>(i) + 1});
      wire::CaseBlocks blocks;
      blocks.case_index = static_cast<int>(i);
      const int ops = request_.cases[i].ops_per_block;
      blocks.ops_per_block = ops > 0 ? ops : 4;
      const int count = request_.cases[i].blocks > 0 ? request_.cases[i].blocks : 3;
      blocks.seconds_per_op.assign(static_cast<std::size_t>(count), 1e-3);
      blocks.wrong_elements = 0;
      result.cases.push_back(blocks);
    }
    result.peak_rss_bytes = 1 << 20;
    return result;
  }

  void misbehave(const std::string& phase, bool before_request = false) {
    const std::string fault = variable("FAKE_FAULT");
    const std::size_t at = fault.find('@');
    const std::size_t colon = fault.find(':');
    if (at == std::string::npos || !fault_applies()) return;
    const std::string kind = fault.substr(0, at);
    if (fault.substr(at + 1, colon - at - 1) != phase) return;
    if (!before_request && request_.rank != std::atoi(fault.c_str() + colon + 1)) return;
    if (!variable("FAKE_ILL").empty()) std::ofstream(variable("FAKE_ILL")) << "ill\n";
    std::cout << "last words: " << kind << " in " << phase << std::endl;
    perform(kind);
  }

  void perform(const std::string& kind) {
    if (kind == "exit") _exit(7);
    if (kind == "crash") std::abort();
    if (kind == "kill") kill(getpid(), SIGKILL);
    if (kind == "stop") raise(SIGSTOP);
    if (kind == "deaf") std::signal(SIGTERM, SIG_IGN);
    if (kind == "hang" || kind == "deaf") sleep_forever();
    if (kind == "garbage") {
      const std::string junk = "HTTP/1.1 400 Bad Request\r\n\r\n";
      if (write(wire::kWorkerSocket, junk.data(), junk.size()) < 0) _exit(1);
      sleep_forever();
    }
    if (kind == "log-flood") {
      const std::string line(1 << 16, 'x');
      for (;;) std::cout << line << '\n';
    }
    if (kind == "frame-flood") {
      for (;;) channel_.send(wire::Progress{0, "flood", 1});
    }
    if (kind == "error") {
      channel_.send(wire::Failed{"error", 0, "block 2 of 3", "the fabric is on fire"});
      _exit(1);
    }
    if (kind == "wrong") {
      wire::Result result = measure();
      result.cases.front().wrong_elements = 3;
      result.cases.front().first_wrong = "rank 0 offset 8 got 0x1 expected 0x2";
      channel_.send(result);
      sleep_forever();
    }
    if (kind == "nan") {
      wire::Result result = measure();
      result.cases.front().seconds_per_op.front() = -1;
      channel_.send(result);
      sleep_forever();
    }
    if (kind == "eof") {
      close(wire::kWorkerSocket);
      sleep_forever();
    }
  }

  [[noreturn]] static void sleep_forever() {
    for (;;) pause();
  }

  wire::Channel channel_{wire::kWorkerSocket};
  wire::Request request_;
};

}  // namespace

int main() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    return FakeWorker().run();
  } catch (const std::exception&) {
    return 1;  // the agent went away or aborts this trial
  }
}

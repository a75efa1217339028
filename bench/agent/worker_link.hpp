// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// One worker during one trial, as its agent sees it: the process, the conversation, how far it
// is, and what went wrong. Whatever a worker does (dies, babbles, floods) becomes a value here,
// never an exception.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/child.hpp"
#include "core/trial.hpp"
#include "wire/messages.hpp"

namespace nccl_sweep::agent {

enum class Progression { started, greeted, ready, connected, finished, gone };

struct Fault {
  Outcome outcome = Outcome::error;
  std::string message;
  bool victim = false;  // another rank went first: this one only lost its peer
};

class WorkerLink {
 public:
  // `request` is sent in answer to the worker's Hello; `admit` may refuse the device that it then
  // opened (another run uses it) by throwing an Error.
  WorkerLink(wire::Request request, const ChildCommand&,
             std::function<void(wire::Ready&)> admit);

  int rank() const { return request_.rank; }
  Child& child() { return child_; }
  const Child& child() const { return child_; }
  Progression progression() const { return progression_; }
  const std::optional<Fault>& fault() const { return fault_; }
  const wire::Ready& ready() const { return ready_; }
  const wire::Connected& connected() const { return connected_; }
  const wire::Result& result() const { return result_; }
  const wire::Progress& progress() const { return progress_; }

  void service();                  // takes what has arrived, looks whether it lives; no blocking
  void tell(const wire::Message&); // a worker that does not read within seconds is at fault
  void blame(Outcome outcome, std::string message) { fail(outcome, std::move(message)); }

 private:
  void handle(wire::Message&&);
  bool leads_its_groups(const wire::Ready&) const;
  void take_result(wire::Result&&);
  void check_exit();
  void fail(Outcome, std::string message, bool victim = false);

  wire::Request request_;
  std::function<void(wire::Ready&)> admit_;
  Child child_;
  Progression progression_ = Progression::started;
  std::optional<Fault> fault_;
  wire::Ready ready_;
  wire::Connected connected_;
  wire::Result result_;
  wire::Progress progress_;
  bool closed_ = false;
  bool leaving_ = false;  // Bye or Abort was sent: its exit is expected
};

}  // namespace nccl_sweep::agent

// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "agent/investigation.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nccl_sweep::agent {
namespace {

using nlohmann::json;

constexpr std::size_t kWaitingShown = 8;
constexpr std::size_t kWaitingKept = kWaitingShown + 1;  // the one to blame may be among them
constexpr std::int64_t kTailBytes = 8 << 10;
constexpr std::size_t kTailLines = 20;

std::vector<std::string> last_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::string line;
  for (const char c : text) {
    if (c == '\n') {
      lines.push_back(std::move(line));
      line.clear();
    } else {
      line += c;
    }
  }
  if (!line.empty()) lines.push_back(std::move(line));
  if (lines.size() > kTailLines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kTailLines));
  }
  return lines;
}

auto severity(const Suspect& s) {
  return std::tuple(s.kind, !s.stopped, s.progression, s.order, s.rank, s.agent);
}

bool waits(const Suspect& s) { return s.kind == 1 || s.kind == 2; }

auto distance(const Position& p) {
  return std::tuple(p.progression, p.order, p.case_index, p.step);
}

Position position_of(const WorkerLink& worker) {
  return {static_cast<int>(worker.progression()), worker.progress().order,
          worker.progress().case_index, worker.progress().step};
}

void keep_lowest(std::vector<int>& ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.size() > kWaitingKept) ranks.resize(kWaitingKept);
}

Suspect suspect_for(const WorkerLink& worker, const Circumstances& now) {
  Suspect s;
  s.rank = worker.rank();
  s.progression = static_cast<int>(worker.progression());
  s.order = worker.progress().order;
  s.failure.phase = now.phase;
  s.failure.rank = worker.rank();
  s.failure.case_index = worker.progress().case_index;
  s.failure.step = worker.progress().step;
  if (worker.fault()) {
    s.kind = worker.fault()->victim ? 2 : 0;
    s.outcome = worker.fault()->outcome;
    s.failure.message = worker.fault()->message;
  } else if (worker.progression() < now.finished_at) {
    s.kind = 1;
    s.stopped = worker.child().stopped();
    s.outcome = Outcome::hung;
    s.failure.message = fmt::format("no end after {:.1f} s{}", now.waited_seconds,
                                    s.stopped ? ", the process is stopped" : "");
  } else {
    s.kind = 3;
  }
  return s;
}

Suspect unstarted(const Fault& start_error, const Circumstances& now) {
  Suspect s;
  s.kind = 0;
  s.outcome = start_error.outcome;
  s.failure.phase = Phase::spawn;
  s.failure.message = start_error.message;
  s.agent = now.agent;
  return s;
}

std::string_view name_of(int progression) {
  constexpr std::string_view kNames[] = {"started", "greeted", "ready", "connected", "finished",
                                         "gone"};
  return kNames[std::clamp(progression, 0, 5)];
}

// How far the blamed rank is behind the one that is furthest.
std::string lag(const Suspect& guilty, const Position& furthest, std::size_t cases) {
  if (guilty.rank < 0 || furthest.progression < 0) return {};
  const int lead = furthest.case_index - guilty.failure.case_index;
  if (guilty.progression < furthest.progression) {
    return fmt::format("others are {}, it is only {}", name_of(furthest.progression),
                       name_of(guilty.progression));
  }
  if (lead > 0) return fmt::format("{} of {} cases behind the furthest", lead, cases);
  if (furthest.order > guilty.order) {
    const int steps = furthest.order - guilty.order;
    return fmt::format("{} step{} behind the furthest ({})", steps, steps == 1 ? "" : "s",
                       furthest.step);
  }
  return {};
}

}  // namespace

Findings investigate(const std::vector<std::unique_ptr<WorkerLink>>& workers,
                     const std::optional<Fault>& start_error, const Circumstances& now) {
  Findings found;
  found.worst.kind = 3;
  found.worst.agent = now.agent;
  const WorkerLink* of_worst = nullptr;
  for (const auto& worker : workers) {
    Suspect s = suspect_for(*worker, now);
    s.agent = now.agent;
    if (waits(s)) found.waiting.push_back(s.rank);
    Position position = position_of(*worker);
    if (distance(found.furthest) < distance(position)) found.furthest = std::move(position);
    if (of_worst == nullptr || severity(s) < severity(found.worst)) {
      found.worst = std::move(s);
      of_worst = worker.get();
    }
  }
  keep_lowest(found.waiting);
  if (start_error) {
    found.worst = unstarted(*start_error, now);
  } else if (of_worst != nullptr && found.worst.kind < 3) {
    if (now.device_of) found.worst.failure.device = now.device_of(*of_worst);
    found.worst.failure.log_tail = last_lines(of_worst->child().log_tail(kTailBytes));
  }
  found.worst.failure.host = now.host;
  return found;
}

Findings merge(Findings a, const Findings& b) {
  if (severity(b.worst) < severity(a.worst)) a.worst = b.worst;
  a.waiting.insert(a.waiting.end(), b.waiting.begin(), b.waiting.end());
  keep_lowest(a.waiting);
  if (distance(a.furthest) < distance(b.furthest)) a.furthest = b.furthest;
  return a;
}

std::string to_text(const Findings& found) {
  const Suspect& s = found.worst;
  const json j{{"kind", s.kind},
               {"stopped", s.stopped},
               {"progression", s.progression},
               {"order", s.order},
               {"rank", s.rank},
               {"agent", s.agent},
               {"outcome", to_string(s.outcome)},
               {"phase", to_string(s.failure.phase)},
               {"host", s.failure.host},
               {"device", s.failure.device},
               {"case", s.failure.case_index},
               {"step", s.failure.step},
               {"message", s.failure.message},
               {"tail", s.failure.log_tail},
               {"waiting", found.waiting},
               {"furthest",
                {found.furthest.progression, found.furthest.order, found.furthest.case_index,
                 found.furthest.step}}};
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Findings findings_from_text(const std::string& text) {
  const json j = json::parse(text);
  Findings found;
  Suspect& s = found.worst;
  j.at("kind").get_to(s.kind);
  j.at("stopped").get_to(s.stopped);
  j.at("progression").get_to(s.progression);
  j.at("order").get_to(s.order);
  j.at("rank").get_to(s.rank);
  j.at("agent").get_to(s.agent);
  s.outcome = parse_outcome(j.at("outcome").get<std::string>());
  s.failure.phase = parse_phase(j.at("phase").get<std::string>());
  j.at("host").get_to(s.failure.host);
  j.at("device").get_to(s.failure.device);
  j.at("case").get_to(s.failure.case_index);
  j.at("step").get_to(s.failure.step);
  j.at("message").get_to(s.failure.message);
  j.at("tail").get_to(s.failure.log_tail);
  s.failure.rank = s.rank;
  j.at("waiting").get_to(found.waiting);
  const json& furthest = j.at("furthest");
  found.furthest = {furthest.at(0).get<int>(), furthest.at(1).get<int>(), furthest.at(2).get<int>(),
                    furthest.at(3).get<std::string>()};
  return found;
}

Suspect blame(const Findings& found, std::size_t cases) {
  Suspect guilty = found.worst;
  for (const int rank : found.waiting) {
    if (rank != guilty.rank && guilty.failure.waiting_ranks.size() < kWaitingShown) {
      guilty.failure.waiting_ranks.push_back(rank);
    }
  }
  guilty.failure.behind = lag(guilty, found.furthest, cases);
  return guilty;
}

}  // namespace nccl_sweep::agent

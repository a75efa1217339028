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
constexpr std::int64_t kTailBytes = 16 << 10;
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
  return std::tuple(s.kind, !s.stopped, s.progression, s.order, s.rank);
}

Suspect suspect_for(const WorkerLink& worker, Phase phase, Progression finished_at,
                    double waited_seconds) {
  Suspect s;
  s.rank = worker.rank();
  s.progression = static_cast<int>(worker.progression());
  s.order = worker.progress().order;
  s.failure.phase = phase;
  s.failure.rank = worker.rank();
  s.failure.case_index = worker.progress().case_index;
  s.failure.step = worker.progress().step;
  if (worker.fault()) {
    s.kind = worker.fault()->victim ? 2 : 0;
    s.outcome = worker.fault()->outcome;
    s.failure.message = worker.fault()->message;
  } else if (worker.progression() < finished_at) {
    s.kind = 1;
    s.stopped = worker.child().stopped();
    s.outcome = Outcome::hung;
    s.failure.message = fmt::format("no end after {:.1f} s{}", waited_seconds,
                                    s.stopped ? ", the process is stopped" : "");
  } else {
    s.kind = 3;
  }
  return s;
}

}  // namespace

Suspect worst_of(const std::vector<std::unique_ptr<WorkerLink>>& workers, Phase phase,
                 Progression finished_at, const std::string& host, int agent,
                 const std::optional<Fault>& start_error, double waited_seconds) {
  std::vector<Suspect> suspects;
  for (const auto& worker : workers) {
    suspects.push_back(suspect_for(*worker, phase, finished_at, waited_seconds));
  }
  Suspect worst;
  worst.kind = 3;
  if (start_error) {
    worst.kind = 0;
    worst.outcome = start_error->outcome;
    worst.failure.phase = phase;
    worst.failure.message = start_error->message;
  } else if (!suspects.empty()) {
    worst = *std::min_element(suspects.begin(), suspects.end(), [](const auto& a, const auto& b) {
      return severity(a) < severity(b);
    });
  }
  worst.agent = agent;
  worst.failure.host = host;
  for (const auto& worker : workers) {
    if (worker->rank() == worst.rank) {
      worst.failure.log_tail = last_lines(worker->child().log_tail(kTailBytes));
    }
  }
  for (const Suspect& s : suspects) {
    const bool waits = s.kind == 1 || s.kind == 2;
    if (waits && s.rank != worst.rank && worst.failure.waiting_ranks.size() < kWaitingShown) {
      worst.failure.waiting_ranks.push_back(s.rank);
    }
  }
  return worst;
}

std::string to_text(const Suspect& s) {
  const json j{{"kind", s.kind},
               {"stopped", s.stopped},
               {"progression", s.progression},
               {"order", s.order},
               {"rank", s.rank},
               {"agent", s.agent},
               {"outcome", to_string(s.outcome)},
               {"phase", to_string(s.failure.phase)},
               {"host", s.failure.host},
               {"case", s.failure.case_index},
               {"step", s.failure.step},
               {"message", s.failure.message},
               {"waiting", s.failure.waiting_ranks},
               {"tail", s.failure.log_tail}};
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Suspect suspect_from_text(const std::string& text) {
  const json j = json::parse(text);
  Suspect s;
  j.at("kind").get_to(s.kind);
  j.at("stopped").get_to(s.stopped);
  j.at("progression").get_to(s.progression);
  j.at("order").get_to(s.order);
  j.at("rank").get_to(s.rank);
  j.at("agent").get_to(s.agent);
  s.outcome = parse_outcome(j.at("outcome").get<std::string>());
  s.failure.phase = parse_phase(j.at("phase").get<std::string>());
  j.at("host").get_to(s.failure.host);
  j.at("case").get_to(s.failure.case_index);
  j.at("step").get_to(s.failure.step);
  j.at("message").get_to(s.failure.message);
  j.at("waiting").get_to(s.failure.waiting_ranks);
  j.at("tail").get_to(s.failure.log_tail);
  s.failure.rank = s.rank;
  return s;
}

Suspect blame(const std::vector<Suspect>& suspects) {
  Suspect guilty = *std::min_element(
      suspects.begin(), suspects.end(),
      [](const auto& a, const auto& b) { return severity(a) < severity(b); });
  for (const Suspect& other : suspects) {
    if (other.agent == guilty.agent) continue;
    std::vector<int> waiting = other.failure.waiting_ranks;
    if (other.kind == 1 || other.kind == 2) waiting.insert(waiting.begin(), other.rank);
    for (const int rank : waiting) {
      if (guilty.failure.waiting_ranks.size() < kWaitingShown) {
        guilty.failure.waiting_ranks.push_back(rank);
      }
    }
  }
  std::sort(guilty.failure.waiting_ranks.begin(), guilty.failure.waiting_ranks.end());
  return guilty;
}

}  // namespace nccl_sweep::agent

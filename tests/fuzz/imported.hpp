// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// From what a reader found to the records of a run, as `import` goes, with what must hold of them.
#pragma once

#include <cmath>

#include "fuzz/promise.hpp"
#include "importing/imported_run.hpp"
#include "importing/readers.hpp"

namespace nccl_sweep::fuzz {

inline void check_run(const RunData& data) {
  promise(!data.run.candidates.empty(), "there is a baseline");
  promise(data.run.ranks >= 2, "there are ranks");
  for (const TrialOutcome& trial : data.trials) {
    promise(static_cast<std::size_t>(trial.order.candidate) < data.run.candidates.size(),
            "a trial has a setting");
    for (const CaseTiming& timing : trial.cases) {
      promise(static_cast<std::size_t>(timing.case_index) < data.run.cases.size(),
              "a timing has a case");
      for (const double seconds : timing.mean_seconds) {
        promise(std::isfinite(seconds) && seconds > 0, "a time is a time");
      }
    }
  }
}

// Every line that is written is read again, and says the same.
inline void check_records(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    promise(to_line(parse_record(line, "line")) == line, "a record reads as it was written");
    at = end + 1;
  }
}

inline void make_a_run(std::vector<RawLaunch> read) {
  ImportedFiles files;
  bool any = false;
  for (RawLaunch& raw : read) {
    auto resolved = resolve(std::move(raw), {});
    if (auto* launch = std::get_if<ImportedLaunch>(&resolved)) {
      any = any || !launch->timings.empty();
      files.launches.push_back(std::move(*launch));
    } else {
      promise(!std::get<LeftOut>(resolved).why.empty(), "what is left out has a reason");
    }
  }
  if (!any) return;
  const ImportedRunOptions options{"0.1.0", {"nccl-sweep"}, "fuzz", {}};
  RunData data;
  try {
    data = make_run(files, options);
  } catch (const Error& error) {
    expect_clear(error);
    return;
  }
  check_run(data);
  const std::string text = record_lines(data);
  std::string written;
  write_run(files, options, [&](std::string_view lines) { written += lines; });
  promise(written == text, "what is written at once is what is written piece by piece");
  check_records(text);
}

}  // namespace nccl_sweep::fuzz

// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The text that nccl-tests prints. A file may hold many launches one after the other, the lines of
// several processes mixed, and NCCL's own lines in between, even inside a row.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "importing/launch_text.hpp"
#include "importing/line_tag.hpp"
#include "importing/readers.hpp"

namespace nccl_sweep {
namespace {

struct Process {
  std::string_view name;
  bool one_job = false;
  LaunchText text;
};

class Processes {
 public:
  explicit Processes(const std::filesystem::path& file) : file_(file) {}

  Process& of(const TaggedLine& line) {
    if (last_ != nullptr && last_->name == line.process) return *last_;
    const auto known = std::find_if(processes_.begin(), processes_.end(),
                                    [&](const auto& p) { return p.name == line.process; });
    if (known != processes_.end()) {
      last_ = &*known;
    } else {
      processes_.push_back({line.process, line.one_job, LaunchText(file_)});
      last_ = &processes_.back();
    }
    return *last_;
  }

  std::vector<RawLaunch> launches() {
    int printing = 0;  // processes of one job that each printed a table
    for (Process& process : processes_) {
      process.text.finish();
      if (process.one_job && !process.text.launches().empty()) ++printing;
    }
    std::vector<RawLaunch> all;
    for (Process& process : processes_) {
      for (RawLaunch& launch : process.text.launches()) {
        if (process.one_job && printing > 1) launch.copies = std::max(launch.copies, printing);
        all.push_back(std::move(launch));
      }
    }
    blame(all);
    std::stable_sort(all.begin(), all.end(), [](const RawLaunch& a, const RawLaunch& b) {
      return a.launch.line < b.launch.line;
    });
    return all;
  }

 private:
  // The launcher's own words have no tag; they explain the launch that did not end.
  void blame(std::vector<RawLaunch>& all) const {
    for (const Process& process : processes_) {
      if (process.text.stray_failure().empty()) continue;
      for (RawLaunch& raw : all) {
        if (raw.launch.finished || !raw.launch.failure.empty()) continue;
        raw.launch.failure = process.text.stray_failure();
      }
    }
  }

  std::filesystem::path file_;
  std::deque<Process> processes_;
  Process* last_ = nullptr;
};

}  // namespace

std::vector<RawLaunch> read_text_launches(std::string_view text,
                                          const std::filesystem::path& file) {
  Processes processes(file);
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const TaggedLine line = without_tag(text.substr(0, end));
    processes.of(line).text.take(line.text, ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return processes.launches();
}

}  // namespace nccl_sweep

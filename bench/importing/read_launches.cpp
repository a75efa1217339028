// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// From files and folders to launches, each once: people keep the text and the JSON of a launch side
// by side.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <iterator>
#include <map>
#include <system_error>
#include <thread>

#include "core/error.hpp"
#include "importing/readers.hpp"
#include "workload/byte_source.hpp"

namespace nccl_sweep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNothing = "nothing of nccl-tests in it";
constexpr std::size_t kLargestFile = std::size_t{1} << 30;  // unpacked; logs are far smaller

struct Input {
  fs::path file;
  bool named = true;  // by the user, not found in a folder
};

void add_folder(const fs::path& folder, std::vector<Input>& inputs) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) found.push_back(it->path());
  }
  if (error) throw usage_error(error.message(), folder.string());
  std::sort(found.begin(), found.end());
  for (fs::path& file : found) inputs.push_back({std::move(file), false});
}

std::vector<Input> inputs_of(const std::vector<fs::path>& files) {
  std::vector<Input> inputs;
  std::error_code ignored;
  for (const fs::path& file : files) {
    if (fs::is_directory(file, ignored)) {
      add_folder(file, inputs);
    } else {
      inputs.push_back({file, true});
    }
  }
  return inputs;
}

struct FileText {
  std::string text;
  std::string damage;
};

FileText text_of(const fs::path& file) {
  std::error_code not_there;
  if (fs::is_regular_file(file, not_there) && fs::file_size(file, not_there) == 0) {
    throw usage_error("is empty", file.string(), "did the launch die before it printed anything?");
  }
  ByteSource source(file);
  FileText read;
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  for (std::size_t got = kPiece; got == kPiece && read.text.size() < kLargestFile;) {
    const std::size_t had = read.text.size();
    read.text.resize(had + kPiece);
    got = source.read(read.text.data() + had, kPiece);
    read.text.resize(had + got);
  }
  read.damage = source.damage();
  return read;
}

ImportedFiles read_file(const Input& input, const ImportOptions& options) {
  ImportedFiles result;
  FileText file;
  try {
    file = text_of(input.file);
  } catch (const Error& error) {
    if (input.named) throw;
    result.left_out.push_back({input.file.string(), error.message()});
    return result;
  }
  std::vector<RawLaunch> read;
  if (is_nccl_tests_json(file.text)) {
    read.push_back(read_json_launch(file.text, input.file));
  } else {
    read = read_text_launches(file.text, input.file);
  }
  if (read.empty()) result.left_out.push_back({input.file.string(), kNothing});
  for (RawLaunch& raw : read) {
    if (!file.damage.empty()) raw.launch.notes.push_back(file.damage);
    auto resolved = resolve(std::move(raw), options);
    if (auto* launch = std::get_if<ImportedLaunch>(&resolved)) {
      result.launches.push_back(std::move(*launch));
    } else {
      result.left_out.push_back(std::get<LeftOut>(std::move(resolved)));
    }
  }
  return result;
}

template <class T>
void move_to_end(std::vector<T>& all, std::vector<T>& more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// In the order given, on all cores: parsing takes most of the time. Of several files that cannot be
// read the first is complained about.
ImportedFiles read_files(const std::vector<Input>& inputs, const ImportOptions& options) {
  std::vector<ImportedFiles> parts(inputs.size());
  std::vector<std::exception_ptr> thrown(inputs.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < inputs.size(); i = next++) {
      try {
        parts[i] = read_file(inputs[i], options);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    }
  };
  constexpr std::size_t kMost = 16;  // a login node has other users
  const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMost);
  {
    std::vector<std::jthread> others;
    while (others.size() + 1 < std::min(cores, inputs.size())) others.emplace_back(work);
    work();
  }
  ImportedFiles all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (thrown[i]) std::rethrow_exception(thrown[i]);
    move_to_end(all.launches, parts[i].launches);
    move_to_end(all.left_out, parts[i].left_out);
  }
  return all;
}

// Half of the last digit that the text prints of a time: at most seven characters.
Seconds printed_half(Seconds time) {
  const double microseconds = time.count() * 1e6;
  if (microseconds < 1e4) return Seconds{0.0051e-6};
  if (microseconds < 1e5) return Seconds{0.051e-6};
  return microseconds < 1e7 ? Seconds{0.51e-6} : time * 0.06;
}

// In all rows, to the last digit that both have: launches are never that much alike by chance.
bool same_times(const ImportedLaunch& a, const ImportedLaunch& b) {
  if (a.timings.size() != b.timings.size() || a.timings.empty()) return false;
  const bool text_and_json = (a.line == 0) != (b.line == 0);
  return std::equal(a.timings.begin(), a.timings.end(), b.timings.begin(),
                    [&](const ImportedTiming& x, const ImportedTiming& y) {
                      const double reach = text_and_json ? printed_half(x.time).count() : 0;
                      return x.size == y.size && x.placement == y.placement && x.dtype == y.dtype &&
                             x.op == y.op && std::abs((x.time - y.time).count()) <= reach;
                    });
}

std::int64_t pid_of(const ImportedLaunch& launch) {
  return launch.ranks.empty() ? 0 : launch.ranks.front().pid;
}

// What the JSON does not tell and the text does.
void complete(ImportedLaunch& kept, const ImportedLaunch& other) {
  if (kept.line == 0 && other.line > 0) kept.program = other.program;
  if (kept.facts.empty()) kept.facts = other.facts;
  if (kept.failure.empty()) kept.failure = other.failure;
  if (!kept.environment_known) kept.environment = other.environment;
  kept.environment_known = kept.environment_known || other.environment_known;
}

void drop_repeated(ImportedFiles& files) {
  std::map<std::pair<std::int64_t, Collective>, std::vector<std::size_t>> seen;
  std::vector<ImportedLaunch> kept;
  for (ImportedLaunch& launch : files.launches) {
    auto& alike = seen[{pid_of(launch), launch.collective}];
    const auto twin = std::find_if(alike.begin(), alike.end(),
                                   [&](std::size_t i) { return same_times(kept[i], launch); });
    if (twin == alike.end()) {
      alike.push_back(kept.size());
      kept.push_back(std::move(launch));
      continue;
    }
    ImportedLaunch& other = kept[*twin];
    if (launch.line == 0 && other.line > 0) std::swap(launch, other);  // JSON has more digits
    complete(other, launch);
    ++files.repeated;
  }
  files.launches = std::move(kept);
}

[[noreturn]] void refuse(const ImportedFiles& files, const fs::path& given) {
  if (files.left_out.empty()) {
    throw usage_error("no launch in it", given.string(),
                      "name files or folders with nccl-tests' output");
  }
  const LeftOut& first = files.left_out.front();
  const std::size_t more = files.left_out.size() - 1;
  throw usage_error(first.why, first.where,
                    more > 0 ? fmt::format("and {} more cannot be used either", more)
                    : first.why == kNothing
                        ? "nccl-tests' text or its JSON (-J) is read, plain or gzip"
                        : "");
}

}  // namespace

ImportedFiles read_launches(const std::vector<fs::path>& files, const ImportOptions& options) {
  ImportedFiles result = read_files(inputs_of(files), options);
  drop_repeated(result);
  const bool any = std::any_of(result.launches.begin(), result.launches.end(),
                               [](const auto& launch) { return !launch.timings.empty(); });
  if (!any) refuse(result, files.front());
  return result;
}

}  // namespace nccl_sweep

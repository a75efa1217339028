// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "evidence/log_record.hpp"

#include <algorithm>

namespace nccl_sweep::evidence {
namespace {

constexpr std::size_t kLongestLine = 1023;  // NCCL's buffer of 1024 with the newline, to 2.30.3
constexpr char kEscape = '\x1b';

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_host(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

// Colour codes are "ESC [ parameters letter"; CR comes from CRLF and from progress bars.
void drop_terminal_codes(std::string& line) {
  std::string clean;
  clean.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == kEscape && i + 1 < line.size() && line[i + 1] == '[') {
      i += 2;
      while (i < line.size() && (is_digit(line[i]) || line[i] == ';')) ++i;
    } else if (line[i] != '\r') {
      clean += line[i];
    }
  }
  line = std::move(clean);
}

void drop_back(std::string_view& text, auto matches) {
  while (!text.empty() && matches(text.back())) text.remove_suffix(1);
}

std::string_view take_number_back(std::string_view& text) {
  const std::string_view whole = text;
  drop_back(text, is_digit);
  return whole.substr(text.size());
}

// "host:pid" out of "... host:pid:tid [device] file:line "; empty where it is not all there.
std::string_view process_in(std::string_view prefix) {
  // Of a warning, the file and line stand between the device and NCCL WARN.
  const std::size_t device = prefix.rfind(" [");
  if (device == prefix.npos) return {};
  prefix = prefix.substr(0, device);
  if (take_number_back(prefix).empty() || !prefix.ends_with(':')) return {};
  prefix.remove_suffix(1);
  const std::size_t end = prefix.size();
  if (take_number_back(prefix).empty() || !prefix.ends_with(':')) return {};
  std::string_view host = prefix.substr(0, prefix.size() - 1);
  const std::string_view before = host;
  drop_back(host, is_host);
  return std::string_view(before.data() + host.size(), end - host.size());
}

}  // namespace

int RecordSplitter::writer_of(std::string_view before_text, bool whole_line) {
  const std::string_view process = process_in(before_text);
  if (process.empty()) return last_writer_;
  if (const auto known = writers_.find(process); known != writers_.end()) return known->second;
  if (!whole_line) {  // another program's text may be glued to the host's name
    const auto glued = std::ranges::find_if(
        writers_, [&](const auto& writer) { return process.ends_with(writer.first); });
    if (glued != writers_.end()) return glued->second;
  }
  const auto number = static_cast<int>(writers_.size());
  return writers_.emplace(process, number).first->second;
}

std::optional<LogRecord> RecordSplitter::split(std::string& line) {
  constexpr std::string_view kInfo = "NCCL INFO ";
  constexpr std::string_view kWarn = "NCCL WARN ";
  constexpr std::string_view kVersion = "NCCL version ";  // NCCL_DEBUG=VERSION has no prefix
  drop_terminal_codes(line);
  const std::string_view all = line;
  const std::size_t info = all.rfind(kInfo);
  const std::size_t warn = all.rfind(kWarn);
  LogRecord record;
  if (info == all.npos && warn == all.npos) {
    const std::size_t version = all.find(kVersion);
    if (version == all.npos) return std::nullopt;
    record.writer = last_writer_;
    record.text = all.substr(version);
    return record;
  }
  record.warning = info == all.npos || (warn != all.npos && warn > info);
  const std::size_t at = record.warning ? warn : info;
  const std::string_view prefix = all.substr(0, at);
  record.text = all.substr(at + kInfo.size());
  const std::string_view process = process_in(prefix);
  const bool whole_line = !process.empty() && process.data() == all.data();
  record.writer = writer_of(prefix, whole_line);
  last_writer_ = record.writer;
  const std::size_t begin =
      process.empty() ? 0 : static_cast<std::size_t>(process.data() - all.data());
  record.cut = all.size() - begin >= kLongestLine;
  return record;
}

}  // namespace nccl_sweep::evidence

// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "workload/nccl_log_line.hpp"

#include <cctype>
#include <charconv>

namespace nccl_sweep {
namespace {

constexpr std::string_view kInfo = "NCCL INFO ";
constexpr std::string_view kCall = ": opCount ";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number behind `word` in `text`; false where the word is missing, where no number follows, or
// where the text ends with the number (it may have been cut).
template <class Number>
bool number_after(std::string_view text, std::string_view word, Number& number, int base = 10) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return false;
  const char* begin = text.data() + at + word.size();
  const char* const end = text.data() + text.size();
  if (base == 16 && end - begin > 2 && begin[0] == '0' && begin[1] == 'x') begin += 2;
  const auto [stop, error] = std::from_chars(begin, end, number, base);
  return error == std::errc{} && stop != end && (*stop == ' ' || *stop == ']');
}

template <class Number>
bool take_number_back(std::string_view& text, Number& number) {
  std::size_t begin = text.size();
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  const auto [stop, error] =
      std::from_chars(text.data() + begin, text.data() + text.size(), number);
  const bool found = error == std::errc{} && begin < text.size();
  text = text.substr(0, begin);
  return found;
}

struct Prefix {
  std::int64_t process = -1;
  std::int64_t thread = -1;
  int device = 0;
};

// Walks back over "host:pid:tid [dev] " in front of NCCL's text.
Prefix parse_prefix(std::string_view prefix) {
  const auto drop = [&prefix](char c) {
    if (prefix.empty() || prefix.back() != c) return false;
    prefix.remove_suffix(1);
    return true;
  };
  Prefix result;
  while (drop(' ')) {
  }
  if (drop(']')) {
    take_number_back(prefix, result.device);
    drop('[');
    while (drop(' ')) {
    }
  }
  std::int64_t pid = -1;
  std::int64_t tid = -1;
  if (take_number_back(prefix, tid) && drop(':') && take_number_back(prefix, pid)) {
    result.process = pid;
    result.thread = tid;
  }
  return result;
}

// `text` begins behind ": opCount " and ends before the next record of the line.
bool parse_call(std::string_view text, LoggedCall& call) {
  return number_after(text, " count ", call.count) && call.count >= 0 &&
         number_after(text, " datatype ", call.datatype) && number_after(text, " op ", call.op) &&
         number_after(text, " root ", call.root) && number_after(text, " comm ", call.comm, 16) &&
         number_after(text, "[nranks=", call.ranks) && call.ranks > 0;
}

std::optional<LoggedInit> parse_init(std::string_view text) {
  LoggedInit init;
  if (!number_after(text, " comm ", init.comm, 16) || !number_after(text, " rank ", init.rank) ||
      !number_after(text, " nranks ", init.ranks)) {
    return std::nullopt;
  }
  number_after(text, " cudaDev ", init.device);
  constexpr std::string_view kId = " commId ";
  if (const std::size_t at = text.find(kId); at != std::string_view::npos) {
    const std::string_view rest = text.substr(at + kId.size());
    init.id = rest.substr(0, rest.find(' '));
  } else if (number_after(text, " parent ", init.parent, 16)) {
    number_after(text, " color ", init.color);
  }
  return init;
}

void parse_record(std::string_view prefix, std::string_view text, LogLine& result) {
  if (const std::size_t at = text.find(kCall); at != std::string_view::npos) {
    LoggedCall call;
    call.function = text.substr(0, at);
    const bool is_word = call.function.find_first_of(" :\t") == std::string_view::npos;
    const Prefix who = parse_prefix(prefix);
    call.process = who.process;
    call.thread = who.thread;
    call.device = who.device;
    if (is_word && !call.function.empty() && parse_call(text.substr(at + kCall.size()), call)) {
      result.calls.push_back(call);
    } else {
      ++result.garbled;
    }
  } else if (text.find("Init COMPLETE") != std::string_view::npos) {
    result.init = parse_init(text);
    if (result.init) result.init->process = parse_prefix(prefix).process;
  } else if (text.starts_with("NCCL version ")) {
    result.version = text.substr(std::string_view("NCCL version ").size());
    result.version = result.version.substr(0, result.version.find_first_of(" \r"));
  }
}

}  // namespace

LogLine parse_log_line(std::string_view line) {
  LogLine result;
  std::size_t at = line.find(kInfo);
  if (at == std::string_view::npos) {
    // A call whose beginning another writer overwrote.
    if (line.find("opCount ") != std::string_view::npos) ++result.garbled;
    constexpr std::string_view kVersion = "NCCL version ";  // NCCL_DEBUG=VERSION has no prefix
    if (const std::size_t found = line.find(kVersion); found != std::string_view::npos) {
      parse_record({}, line.substr(found), result);
    }
    return result;
  }
  std::size_t begin = 0;
  while (at != std::string_view::npos) {
    const std::size_t text = at + kInfo.size();
    const std::size_t next = line.find(kInfo, text);
    parse_record(line.substr(begin, at - begin), line.substr(text, next - text), result);
    begin = text;
    at = next;
  }
  return result;
}

}  // namespace nccl_sweep

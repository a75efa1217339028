// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "evidence/nccl_log.hpp"

#include <algorithm>
#include <string>

#include "evidence/log_record.hpp"
#include "evidence/rank_facts.hpp"

namespace nccl_sweep::evidence {
namespace {

// Addresses differ between ranks and launches, which would make every warning its own fact.
std::string without_addresses(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  std::string plain;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find("0x"), text.size());
    plain += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    plain += "0x..";
    text.remove_prefix(2);
    text.remove_prefix(std::min(text.find_first_not_of(kHex), text.size()));
  }
  return plain;
}

void read_warning(std::string_view text, RankFacts& facts) {
  constexpr int kFewest = 3;  // later ones follow from the first
  constexpr std::size_t kLength = 200;
  if (facts.warnings++ >= kFewest) return;
  facts.add(FactKind::note, "warning", without_addresses(text.substr(0, kLength)));
}

void read_record(const LogRecord& record, RankFacts& facts) {
  const bool known = read_variable_line(record.text, record.cut, facts) ||
                     read_start_up_line(record.text, facts) ||
                     read_transport_line(record.text, facts) ||
                     read_operation_line(record.text, facts);
  if (!known && record.warning) read_warning(record.text, facts);
}

}  // namespace

std::vector<Fact> read_nccl_log(std::istream& log) {
  RecordSplitter splitter;
  std::vector<RankFacts> ranks;
  std::string line;
  while (std::getline(log, line)) {
    if (log.eof()) break;  // no newline: the rest of the line is not there
    const auto record = splitter.split(line);
    if (!record) continue;
    const auto writer = static_cast<std::size_t>(record->writer);
    if (writer >= ranks.size()) ranks.resize(writer + 1);
    read_record(*record, ranks[writer]);
  }
  std::vector<Fact> facts;
  for (RankFacts& rank : ranks) {
    for (Fact& fact : rank.take()) facts.push_back(std::move(fact));
  }
  return merge(std::move(facts));
}

}  // namespace nccl_sweep::evidence

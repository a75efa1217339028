// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// What one rank's log says, gathered line by line. Most lines are a fact by themselves; others
// only add up to one (channels of a transport, queue pairs of a connection), which take() does.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fact.hpp"

namespace nccl_sweep::evidence {

class RankFacts {
 public:
  // The same fact said again counts once.
  void add(FactKind kind, std::string_view subject, std::string_view value);

  struct Adapter {
    std::string link;      // "IB", "RoCE"
    std::string settings;  // "400 Gb/s", "400 Gb/s, adaptive routing"
  };
  // By NCCL's device number, which the lines about queue pairs use.
  struct IbDevice {
    std::string name;  // "mlx5_0:1"
    Adapter adapter;
  };
  std::map<int, IbDevice> ib_devices;

  // Channels seen per transport: collectives and send/recv have channels of their own.
  struct Channels {
    std::set<int> collective;
    std::set<int> point_to_point;
  };
  std::map<std::string, Channels, std::less<>> transports;

  // Lines about queue pairs, by device and by the key of the connection that they belong to.
  std::map<std::pair<int, std::string>, int> queue_pairs;

  std::map<std::string, std::string, std::less<>> plugins;  // kind -> name or "none"

  std::string topology_file;          // that the variable names
  std::set<std::string> files_tried;  // loaded or missing

  // Links of the topology that is being printed, by kind and GB/s.
  bool in_topology = false;
  std::map<std::pair<std::string, std::string>, int> links;

  struct Call {
    std::string function;
    int ranks = 0;
  };
  Call last_call;  // NCCL 2.22 and older do not name the function that a path is for
  int communicator_ranks = 0;

  int warnings = 0;

  std::vector<Fact> take();  // each with ranks = 1

 private:
  std::set<Fact> facts_;
};

// A kind of message: reads what it knows and says whether it did.
using LineReader = bool (*)(std::string_view text, RankFacts& facts);

bool read_variable_line(std::string_view text, bool cut, RankFacts& facts);  // start_up_lines.cpp
bool read_start_up_line(std::string_view text, RankFacts& facts);            // start_up_lines.cpp
bool read_transport_line(std::string_view text, RankFacts& facts);           // transport_lines.cpp
bool read_operation_line(std::string_view text, RankFacts& facts);           // operation_lines.cpp

}  // namespace nccl_sweep::evidence

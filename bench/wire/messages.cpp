// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/messages.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/json_fields.hpp"
#include "wire/fields.hpp"

namespace nccl_sweep::wire {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<Message>> kNames = {
    "hello",    "request", "ready",  "connect", "connected", "measure",
    "progress", "result",  "failed", "bye",     "abort"};

// Cases and their requests.

// The records' spelling of a case; the numbers are checked here, since get<int>() would wrap.
Case read_case(const Json& json) {
  const Fields fields(json);
  for (const char* name : {"bytes", "count", "requested_bytes"}) {
    fields.integer(name, 0, kMostBytes);
  }
  fields.integer("group_size", 0, kMostRanks);
  return json.get<Case>();
}

Json write(const CaseRequest& request) {
  return {{"what", request.what},
          {"partition", request.partition},
          {"ops_per_block", request.ops_per_block},
          {"blocks", request.blocks},
          {"warmup_ops", request.warmup_ops}};
}

CaseRequest read_case_request(const Json& json) {
  const Fields fields(json);
  CaseRequest request;
  request.what = read_case(fields.at("what"));
  request.partition = fields.small("partition", 0, kMostCases);
  request.ops_per_block = fields.small("ops_per_block", 0, kMostOps);
  request.blocks = fields.small("blocks", 0, kMostOps);
  request.warmup_ops = fields.small("warmup_ops", 0, kMostOps);
  return request;
}

std::vector<Partition> read_partitions(const Fields& fields) {
  std::vector<Partition> partitions;
  for (const Json& groups : fields.array("partitions", kMostCases)) {
    if (!groups.is_array()) throw GarbageError("a partition is not an array");
    Partition& partition = partitions.emplace_back();
    for (const Json& ranks : groups) {
      if (!ranks.is_array()) throw GarbageError("a group is not an array");
      auto& group = partition.emplace_back();
      for (const Json& rank : ranks) {
        group.push_back(static_cast<int>(Fields::as_integer(rank, "rank", 0, kMostRanks)));
      }
    }
  }
  return partitions;
}

Json write(const std::vector<Rendezvous>& list) {
  Json array = Json::array();
  for (const Rendezvous& item : list) {
    array.push_back({{"partition", item.partition}, {"group", item.group}, {"blob", item.blob}});
  }
  return array;
}

std::vector<Rendezvous> read_rendezvous(const Fields& fields) {
  std::vector<Rendezvous> list;
  for (const Json& json : fields.array("rendezvous")) {
    const Fields item(json);
    list.push_back({item.small("partition", 0, kMostCases), item.small("group", 0, kMostRanks),
                    item.text("blob")});
  }
  return list;
}

Json write(const CaseBlocks& blocks) {
  return {{"case_index", blocks.case_index},         {"ops_per_block", blocks.ops_per_block},
          {"warmup_ops", blocks.warmup_ops},         {"seconds_per_op", blocks.seconds_per_op},
          {"wrong_elements", blocks.wrong_elements}, {"first_wrong", blocks.first_wrong},
          {"cpu_seconds", blocks.cpu_seconds},       {"wall_seconds", blocks.wall_seconds},
          {"device_seconds_per_op", blocks.device_seconds_per_op},
          {"load_alone_seconds", blocks.load_alone_seconds},
          {"load_beside_seconds", blocks.load_beside_seconds}};
}

std::vector<double> read_numbers(const Fields& fields, const char* name) {
  std::vector<double> numbers;
  for (const Json& value : fields.array(name)) {
    if (!value.is_number()) {
      throw GarbageError("field '" + std::string(name) + "' holds what is no number");
    }
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

CaseBlocks read_case_blocks(const Json& json) {
  const Fields fields(json);
  CaseBlocks blocks;
  blocks.case_index = fields.small("case_index", 0, kMostCases);
  blocks.ops_per_block = fields.small("ops_per_block", 0, kMostOps);
  blocks.warmup_ops = fields.small("warmup_ops", 0, kMostOps);
  blocks.seconds_per_op = read_numbers(fields, "seconds_per_op");
  blocks.wrong_elements = fields.integer("wrong_elements", -1, kMostBytes);
  blocks.first_wrong = fields.text("first_wrong");
  blocks.cpu_seconds = fields.number("cpu_seconds");
  blocks.wall_seconds = fields.number("wall_seconds");
  blocks.device_seconds_per_op = read_numbers(fields, "device_seconds_per_op");
  blocks.load_alone_seconds = fields.number("load_alone_seconds");
  blocks.load_beside_seconds = fields.number("load_beside_seconds");
  return blocks;
}

// One write() and one read_*() a message.

Json write(const Hello& hello) {
  return {{"protocol", hello.protocol},
          {"pid", hello.pid},
          {"version", hello.version}};
}

Message read_hello(const Fields& fields) {
  Hello hello;
  hello.protocol = fields.small("protocol", 0, kMostOps);
  if (hello.protocol != kProtocolVersion) {
    throw GarbageError("protocol version " + std::to_string(hello.protocol) + ", expected " +
                       std::to_string(kProtocolVersion) +
                       ": nccl-sweep and nccl-sweep-worker are of different builds");
  }
  hello.pid = fields.small("pid", 0, kMostOps);
  hello.version = fields.text("version");
  return hello;
}

Json write(const Request& request) {
  Json cases = Json::array();
  for (const CaseRequest& item : request.cases) cases.push_back(write(item));
  return {{"trial", request.trial},           {"seed", request.seed},
          {"backend", request.backend},       {"rank", request.rank},
          {"world", request.world},           {"simulated_ranks", request.simulated_ranks},
          {"local_rank", request.local_rank}, {"local_size", request.local_size},
          {"agent_rank", request.agent_rank}, {"agent_size", request.agent_size},
          {"knobs", request.knobs},           {"model", request.model},
          {"partitions", request.partitions}, {"cases", std::move(cases)},
          {"arena", request.arena.value},     {"parity_iters", request.parity_iters},
          {"verify", request.verify},         {"load", request.load},
          {"load_ctas", request.load_ctas}};
}

// Everything that is used as an index later is checked here, once.
void check_indices(const Request& request) {
  if (request.rank >= request.world) throw GarbageError("field 'rank' is not below 'world'");
  if (request.partitions.empty()) throw GarbageError("field 'partitions' is empty");
  const int ranks = std::max(request.world, request.simulated_ranks);
  for (const Partition& partition : request.partitions) {
    for (const auto& group : partition) {
      if (group.empty()) throw GarbageError("a group has no ranks");
      for (int rank : group) {
        if (rank >= ranks) throw GarbageError("a group names a rank beyond the world");
      }
    }
  }
  for (const CaseRequest& item : request.cases) {
    if (static_cast<std::size_t>(item.partition) >= request.partitions.size()) {
      throw GarbageError("a case names a partition that is not there");
    }
  }
}

Message read_request(const Fields& fields) {
  Request request;
  request.trial = fields.small("trial", 0, kMostOps);
  request.seed = fields.seed("seed");
  request.backend = fields.text("backend");
  request.rank = fields.small("rank", 0, kMostRanks);
  request.world = fields.small("world", 1, kMostRanks);
  request.simulated_ranks = fields.small("simulated_ranks", 0, kMostRanks);
  request.local_rank = fields.small("local_rank", 0, kMostRanks);
  request.local_size = fields.small("local_size", 1, kMostRanks);
  request.agent_rank = fields.small("agent_rank", 0, kMostRanks);
  request.agent_size = fields.small("agent_size", 1, kMostRanks);
  request.knobs = fields.texts("knobs");
  request.model = fields.text("model");
  request.partitions = read_partitions(fields);
  for (const Json& item : fields.array("cases", kMostCases)) {
    request.cases.push_back(read_case_request(item));
  }
  request.arena = Bytes{fields.integer("arena", 0, kMostBytes)};
  request.parity_iters = fields.small("parity_iters", 0, kMostOps);
  request.verify = fields.boolean("verify");
  request.load = fields.text("load");
  request.load_ctas = fields.small("load_ctas", 0, kMostOps);
  check_indices(request);
  return request;
}

Json write(const Ready& ready) {
  return {{"rendezvous", write(ready.rendezvous)},
          {"device", ready.device},
          {"versions", ready.versions},
          {"locks", ready.locks},
          {"identity", ready.identity}};
}
Message read_ready(const Fields& fields) {
  Ready ready{read_rendezvous(fields), fields.text("device"), fields.texts("versions"), {},
              fields.texts("identity")};
  for (const Json& lock : fields.array("locks", 4096)) {
    if (!lock.is_string()) throw GarbageError("field 'locks' holds what is no string");
    ready.locks.push_back(lock.get<std::string>());
  }
  return ready;
}

Json write(const Connect& connect) { return {{"rendezvous", write(connect.rendezvous)}}; }
Message read_connect(const Fields& fields) { return Connect{read_rendezvous(fields)}; }

Json write(const Connected& connected) {
  return {{"seconds", connected.seconds}, {"environment", connected.environment}};
}
Message read_connected(const Fields& fields) {
  return Connected{fields.numbers("seconds"), fields.texts("environment")};
}

Json write(const Progress& progress) {
  return {{"case_index", progress.case_index}, {"step", progress.step}, {"order", progress.order}};
}
Message read_progress(const Fields& fields) {
  return Progress{fields.small("case_index", -1, kMostCases), fields.text("step"),
                  fields.small("order", 0, kMostOps)};
}

Json write(const Result& result) {
  Json cases = Json::array();
  for (const CaseBlocks& item : result.cases) cases.push_back(write(item));
  return {{"cases", std::move(cases)},
          {"peak_rss_bytes", result.peak_rss_bytes},
          {"device_bytes", result.device_bytes}};
}
Message read_result(const Fields& fields) {
  Result result;
  for (const Json& item : fields.array("cases", kMostCases)) {
    result.cases.push_back(read_case_blocks(item));
  }
  result.peak_rss_bytes = fields.integer("peak_rss_bytes", 0, kMostBytes);
  result.device_bytes = fields.integer("device_bytes", 0, kMostBytes);
  return result;
}

Json write(const Failed& failed) {
  return {{"kind", failed.kind},
          {"case_index", failed.case_index},
          {"step", failed.step},
          {"message", failed.message}};
}
Message read_failed(const Fields& fields) {
  return Failed{fields.text("kind"), fields.small("case_index", -1, kMostCases),
                fields.text("step"), fields.text("message")};
}

template <class Empty>
requires std::is_empty_v<Empty> Json write(const Empty&) { return Json::object(); }
template <class Empty>
Message read_empty(const Fields&) {
  return Empty{};
}

// In the order of the variant, like kNames.
constexpr std::array<Message (*)(const Fields&), std::variant_size_v<Message>> kReaders = {
    read_hello,     read_request,        read_ready,       read_connect,
    read_connected, read_empty<Measure>, read_progress,    read_result,
    read_failed,    read_empty<Bye>,     read_empty<Abort>};

}  // namespace

std::string_view name_of(const Message& message) { return kNames.at(message.index()); }

std::string serialize(const Message& message) {
  Json json = std::visit([](const auto& content) { return write(content); }, message);
  json["type"] = name_of(message);
  // Log lines of other libraries end up in messages and need not be UTF-8: replace, don't throw.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Message parse(std::string_view payload) {
  const Json json = Json::parse(payload, nullptr, false);
  if (json.is_discarded()) throw GarbageError("the payload is not JSON");
  const Fields fields(json);
  const std::string name = fields.text("type");
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] != name) continue;
    try {
      return kReaders[i](fields);
    } catch (const std::exception& error) {  // a core parser's, nlohmann's or our own
      throw GarbageError(name + ": " + error.what());
    }
  }
  throw GarbageError("unknown message '" + name.substr(0, 40) + "'");
}

}  // namespace nccl_sweep::wire

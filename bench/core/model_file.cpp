// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.hpp"
#include "core/json_object.hpp"

namespace nccl_sweep {
namespace {

using nlohmann::json;

const std::vector<std::string> kDistributions{"gaussian", "two_humped", "outliers"};
const std::vector<std::string> kFaultKinds{"hang",    "stuck",       "crash",        "exit",
                                           "garbage", "flood",       "flood_frames", "wrong_data",
                                           "error",   "unsupported", "slow"};
const std::vector<std::string> kFaultPhases{"hello", "connect", "measure", "drain"};

Seconds microseconds(double us) { return Seconds{us * 1e-6}; }
Bandwidth gigabytes(double gb) { return Bandwidth{gb * 1e9}; }

ModelRates read_rates(const json& object, const std::string& where, ModelRates rates) {
  const JsonObject node(object, where,
                        {"latency_us", "latency_us_per_rank", "latency_us_per_stream",
                         "link_gb_per_s", "stream_gb_per_s"});
  const auto us = [&](const char* key, Seconds& time) {
    time = microseconds(node.number(key, time.count() * 1e6, 0, 1e9));
  };
  const auto gb = [&](const char* key, Bandwidth& rate) {
    rate = gigabytes(node.number(key, rate.bytes_per_second * 1e-9, 0, 1e6));
  };
  us("latency_us", rates.latency);
  us("latency_us_per_rank", rates.latency_per_rank);
  us("latency_us_per_stream", rates.latency_per_stream);
  gb("link_gb_per_s", rates.link);
  gb("stream_gb_per_s", rates.stream);
  return rates;
}

void read_all_rates(const JsonObject& root, ModelFile& model) {
  const json& rates = root.require("rates");
  const std::string where = root.place("rates");
  std::vector<std::string> known{"common"};
  for (Collective c : all_collectives()) known.emplace_back(to_string(c));
  const JsonObject node(rates, where, known);
  model.common = read_rates(node.require("common"), where + "/common", {});
  if (model.common.link.bytes_per_second <= 0) {
    throw usage_error("'link_gb_per_s' must be above 0", where + "/common");
  }
  for (Collective c : all_collectives()) {
    const std::string name(to_string(c));
    const json* own = node.find(name.c_str());
    model.rates[c] =
        own == nullptr ? model.common : read_rates(*own, where + "/" + name, model.common);
  }
}

// Values may be written as texts or whole numbers. Each must be one that its knob takes.
KnobValues read_values(const json& object, const std::string& where, const ModelFile& model) {
  if (!object.is_object() || object.empty()) {
    throw usage_error("an object of knobs and values is expected here", where);
  }
  KnobCatalogue declared;
  for (const Knob& knob : model.knobs) declared.add(knob);
  KnobValues values;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string() && !value.is_number_integer()) {
      throw usage_error("a value is a text or a whole number", where + "/" + name);
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    declared.check_value(declared.require("model", name, where), text, where + "/" + name);
    values[name] = text;
  }
  return values;
}

void read_effects(const JsonObject& root, ModelFile& model) {
  const auto& list = root.list("effects");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where = root.element("effects", i);
    const JsonObject node(list[i], where,
                          {"when", "collective", "from", "to", "bandwidth", "latency", "cpu"});
    ModelEffect effect;
    effect.when = read_values(node.require("when"), node.place("when"), model);
    if (node.find("collective") != nullptr) {
      effect.collective = parse_collective(node.text("collective"), node.place("collective"));
    }
    effect.from = node.size("from");
    effect.to = node.size("to");
    effect.bandwidth = node.number("bandwidth", 1, 1e-6, 1e6);
    effect.latency = node.number("latency", 1, 0, 1e6);
    effect.cpu = node.number("cpu", 1, 0, 1e6);
    model.effects.push_back(std::move(effect));
  }
}

void read_noise(const JsonObject& root, ModelFile& model) {
  const json* object = root.find("noise");
  if (object == nullptr) return;
  const JsonObject node(
      *object, root.place("noise"),
      {"distribution", "launch", "shared", "block", "rank", "drift_per_trial", "first_trial"});
  ModelNoise& noise = model.noise;
  noise.distribution = node.word("distribution", kDistributions, noise.distribution);
  const auto& launch = node.list("launch");
  for (std::size_t i = 0; i < launch.size(); ++i) {
    const JsonObject band(launch[i], node.element("launch", i), {"up_to", "cv"});
    noise.launch.push_back({band.size("up_to"), band.number("cv", 0, 0, 1)});
  }
  noise.shared = node.number("shared", noise.shared, 0, 1);
  noise.block = node.number("block", 0, 0, 1);
  noise.rank = node.number("rank", 0, 0, 1);
  noise.drift_per_trial = node.number("drift_per_trial", 0, -0.1, 0.1);
  noise.first_trial = node.number("first_trial", 1, 0.01, 100);
}

void read_faults(const JsonObject& root, ModelFile& model) {
  const auto& list = root.list("faults");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonObject node(list[i], root.element("faults", i),
                          {"when", "kind", "phase", "rank", "case", "factor"});
    ModelFault fault;
    const json& when = node.require("when");
    if (when.is_number_integer()) {
      fault.trial = node.whole("when", 0, 0, 1'000'000);
    } else if (when != "any") {
      fault.when = read_values(when, node.place("when"), model);
    }
    node.require_text("kind");
    fault.kind = node.word("kind", kFaultKinds, fault.kind);
    fault.phase = node.word("phase", kFaultPhases, fault.phase);
    fault.rank = node.whole("rank", 0, -1, 1 << 20);
    fault.case_index = node.whole("case", -1, -1, 100'000);
    fault.factor = node.number("factor", fault.factor, 0.001, 1e6);
    const bool measuring =
        fault.kind == ModelFaultKind::slow || fault.kind == ModelFaultKind::wrong_data;
    if (measuring && fault.phase != ModelFaultPhase::measure) {
      throw usage_error("this kind of fault belongs to phase \"measure\"", node.place("phase"));
    }
    model.faults.push_back(std::move(fault));
  }
}

void read_costs(const JsonObject& root, ModelFile& model) {
  if (const json* streams = root.find("streams")) {
    const JsonObject node(*streams, root.place("streams"), {"knob"});
    model.streams_knob = node.require_text("knob");
    KnobCatalogue declared;
    for (const Knob& knob : model.knobs) declared.add(knob);
    declared.require("model", model.streams_knob, node.place("knob"));
  }
  if (const json* cpu = root.find("cpu")) {
    const JsonObject node(*cpu, root.place("cpu"), {"per_worker", "per_stream"});
    model.cpu_per_worker = node.number("per_worker", 0, 0, 1000);
    model.cpu_per_stream = node.number("per_stream", 0, 0, 1000);
  }
}

}  // namespace

ModelFile parse_model(std::string_view text, std::string_view where) {
  json root;
  try {
    root = json::parse(text, nullptr, true, /*ignore_comments=*/true);
  } catch (const json::exception& error) {
    throw not_json(error, std::string(where));
  }
  const JsonObject node(root, fmt::format("{}#", where),
                        {"$schema", "name", "description", "ranks", "ranks_per_node", "device",
                         "knobs", "rates", "streams", "cpu", "effects", "noise", "faults"});
  ModelFile model;
  model.text = text;
  model.name = node.require_text("name");
  model.description = node.require_text("description");
  if (model.description.find("SIMULATED") == std::string::npos) {
    throw usage_error("the description must say SIMULATED", node.place("description"),
                      "it is printed above every table of this fabric");
  }
  node.require("ranks");
  model.ranks = node.whole("ranks", 0, 1, 1 << 20);
  model.ranks_per_node = node.whole("ranks_per_node", 1, 1, model.ranks);
  model.device = node.text("device");
  if (const json* knobs = node.find("knobs")) {
    model.knobs = parse_knobs(knobs->dump(), "model", node.place("knobs"));
  }
  read_all_rates(node, model);
  read_costs(node, model);
  read_effects(node, model);
  read_noise(node, model);
  read_faults(node, model);
  return model;
}

ModelFile load_model(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw usage_error("the model cannot be read", file.string(),
                      "models are in sweeps/models/, or name a file ending in .json");
  }
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_model(text, file.string());
}

}  // namespace nccl_sweep

// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Every data file that is shipped reads well, fits its schema and names only what exists.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/baseline_file.hpp"
#include "core/error.hpp"
#include "core/knob.hpp"
#include "core/model_file.hpp"
#include "core/policy.hpp"
#include "core/records.hpp"
#include "core/spec.hpp"
#include "schema.hpp"
#include "workload/workload.hpp"

namespace nccl_sweep::checks {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kSweeps = fs::path(SOURCE_FOLDER) / "sweeps";

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

json read_json(const fs::path& file) {
  std::ifstream stream(file);
  return json::parse(stream, nullptr, true, /*ignore_comments=*/true);
}

json schema_of(const std::string& format) {
  return read_json(kSweeps / "schemas" / (format + ".schema.json"));
}

void expect_fits(const std::string& format, const fs::path& file) {
  for (const std::string& text : violations(schema_of(format), read_json(file))) {
    ADD_FAILURE() << file << "#" << text;
  }
}

TEST(DataFiles, EveryCatalogueFileFitsItsSchema) {
  const auto files = json_files(kSweeps / "knobs");
  ASSERT_GE(files.size(), 2U);
  for (const auto& file : files) expect_fits("knobs", file);
}

TEST(DataFiles, TheCatalogueLoadsAndItsDangersAreClassed) {
  const KnobCatalogue catalogue = KnobCatalogue::load(kSweeps / "knobs");
  EXPECT_GE(catalogue.knobs().size(), 60U);
  for (const Knob& knob : catalogue.knobs()) {
    EXPECT_FALSE(knob.acts_on.empty()) << knob.name;
    EXPECT_LE(knob.summary.size(), 90U) << knob.name;
    EXPECT_TRUE(knob.knob_class != KnobClass::can_corrupt || !knob.danger.empty()) << knob.name;
  }
  for (const char* name : {"NCCL_CHUNK_SIZE", "NCCL_PROTO", "NCCL_GDR_FLUSH_DISABLE"}) {
    EXPECT_EQ(catalogue.require("nccl", name).knob_class, KnobClass::can_corrupt) << name;
  }
  for (const char* name : {"NCCL_IB_TC", "NCCL_IB_HCA", "NCCL_IB_TIMEOUT"}) {
    EXPECT_EQ(catalogue.require("nccl", name).knob_class, KnobClass::fabric_policy) << name;
  }
}

TEST(DataFiles, NoVariableIsBothAKnobAndMerelyKnown) {
  const KnobCatalogue catalogue = KnobCatalogue::load(kSweeps / "knobs");
  EXPECT_GE(catalogue.known_variables().size(), 150U);
  for (const std::string& name : catalogue.known_variables()) {
    EXPECT_EQ(catalogue.find("nccl", name), nullptr) << name;
  }
  EXPECT_TRUE(unknown_variables({"NCCL_DEBUG", "NCCL_CONF_FILE", "NCCL_SHARP_DISABLE"}, catalogue)
                  .empty());
  EXPECT_EQ(unknown_variables({"NCCL_QQQQQQQQQQQQ"}, catalogue),
            std::vector<std::string>{"NCCL_QQQQQQQQQQQQ is no variable that NCCL is known to read"});
}

TEST(DataFiles, EveryFieldOfACommunicatorSaysWhichVariableSetsTheSame) {
  const KnobCatalogue catalogue = KnobCatalogue::load(kSweeps / "knobs");
  const auto& others = catalogue.known_variables();
  for (const Knob& knob : catalogue.knobs()) {
    EXPECT_TRUE(knob.kind != KnobKind::config || !knob.same_as.empty()) << knob.name;
    for (const std::string& name : knob.same_as) {
      const bool known = catalogue.find(knob.backend, name) != nullptr ||
                         std::find(others.begin(), others.end(), name) != others.end();
      EXPECT_TRUE(known) << knob.name << " is the same as " << name;
    }
  }
}

TEST(DataFiles, EverySpecFitsItsSchemaAndReads) {
  const auto files = json_files(kSweeps);
  ASSERT_GE(files.size(), 7U);
  for (const auto& file : files) {
    expect_fits("spec", file);
    const SweepSpec spec = load_spec(file);
    EXPECT_EQ(spec.name, file.stem().string());
    EXPECT_FALSE(spec.description.empty()) << file;
  }
}

TEST(DataFiles, EverySpecVariesKnobsOfItsBackendOnlyAndNeedsNoPermission) {
  const KnobCatalogue catalogue = KnobCatalogue::load(kSweeps / "knobs");
  for (const auto& file : json_files(kSweeps)) {
    const SweepSpec spec = load_spec(file);
    if (spec.backend == "model") continue;  // its knobs stand in the model's file
    for (const Axis& axis : spec.axes) {
      const Knob& knob = catalogue.require(spec.backend, axis.knob, file.string());
      EXPECT_EQ(knob.knob_class, KnobClass::tuning) << file << " " << axis.knob;
      for (const std::string& value : axis.values) {
        EXPECT_NO_THROW(catalogue.check_value(knob, value, file.string()));
      }
    }
  }
}

TEST(DataFiles, EveryModelFitsItsSchemaAndReads) {
  for (const auto& file : json_files(kSweeps / "models")) {
    expect_fits("model", file);
    EXPECT_EQ(load_model(file).name, file.stem().string());
  }
}

TEST(DataFiles, TheModelOfEverySpecIsShippedAndTakesItsAxes) {
  for (const auto& file : json_files(kSweeps)) {
    const SweepSpec spec = load_spec(file);
    if (spec.backend != "model") continue;
    KnobCatalogue declared;
    for (Knob& knob : load_model(kSweeps / "models" / (spec.model + ".json")).knobs) {
      declared.add(std::move(knob));
    }
    for (const Axis& axis : spec.axes) {
      const Knob& knob = declared.require("model", axis.knob, file.string());
      for (const std::string& value : axis.values) declared.check_value(knob, value, axis.knob);
    }
  }
}

TEST(DataFiles, EveryWorkloadFitsItsSchemaAndReads) {
  for (const auto& file : json_files(kSweeps / "workloads")) {
    expect_fits("workload", file);
    EXPECT_NO_THROW(load_workload(file)) << file;
  }
}

TEST(DataFiles, EveryPolicyFitsItsSchemaAndForbidsWhatThereIs) {
  const KnobCatalogue catalogue = KnobCatalogue::load(kSweeps / "knobs");
  const auto files = json_files(kSweeps / "policies");
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    expect_fits("policy", file);
    const PolicyFile policy = load_policy(file);
    EXPECT_FALSE(policy.forbidden.empty()) << file;
    for (const Forbidden& forbidden : policy.forbidden) {
      EXPECT_NE(catalogue.find("nccl", forbidden.knob), nullptr) << forbidden.knob;
    }
  }
}

TEST(DataFiles, EveryBaselineFitsItsSchemaReadsAndSaysWhereItIsFrom) {
  const auto files = json_files(fs::path(SOURCE_FOLDER) / "results" / "baselines");
  ASSERT_GE(files.size(), 9U);
  for (const auto& file : files) {
    expect_fits("baseline", file);
    const BaselineFile baseline = load_baseline(file);
    for (const BaselineFabric& fabric : baseline.fabrics) {
      const bool used = std::ranges::any_of(
          baseline.series, [&](const auto& series) { return series.fabric == fabric.name; });
      EXPECT_TRUE(used) << file << " " << fabric.name;
    }
    for (const BaselineSource& source : baseline.sources) {
      EXPECT_FALSE(source.title.empty()) << file;
      const bool ours = source.figure_class == FigureClass::measured;
      EXPECT_EQ(ours, file.stem().string().find("public") == std::string::npos) << file;
      EXPECT_EQ(ours, !source.date.empty() && !source.nccl.empty() && source.url.empty() &&
                          source.id == "run")
          << file << " " << source.id;
    }
  }
}

TEST(DataFiles, TheFiguresThatContradictEachOtherAreAllShipped) {
  const fs::path folder = fs::path(SOURCE_FOLDER) / "results" / "baselines";
  int contradictions = 0;
  for (const auto& file : json_files(folder)) {
    contradictions += static_cast<int>(load_baseline(file).contradictions.size());
  }
  EXPECT_GE(contradictions, 8);
}

TEST(Schemas, AWrittenBaselineFitsTheBaselineSchema) {
  BaselineFile file;
  file.fabrics = {{"f", "0123", "GPU", 2, 8, 16, "NVLink", "IB", 8, 400, true}};
  BaselineSource source;
  source.id = "run";
  source.title = "t";
  source.environment = {{"NCCL_ALGO", "Ring"}};
  file.sources = {source};
  BaselineSeries series;
  series.fabric = "f";
  series.source = "run";
  series.dtype = DataType::float16;
  series.op = ReduceOp::avg;
  series.placement = Placement::in_place;
  series.group = "node";
  series.group_size = 8;
  series.graph = true;
  series.figures = {{FigureKind::at_size, Bytes{8}, {}, {}, 1, 0.5, 2, 3},
                    {FigureKind::average, {}, Bytes{8}, Bytes{16}, 1},
                    {FigureKind::peak, {}, {}, {}, 1}};
  file.series = {series};
  file.contradictions = {{"both", {"run"}}};
  const json written = json::parse(to_json_text(file));
  EXPECT_EQ(violations(schema_of("baseline"), written), std::vector<std::string>{}) << written;
  json broken = written;
  broken["series"][0]["figures"][0].erase("busbw");
  EXPECT_FALSE(violations(schema_of("baseline"), broken).empty());
}

TEST(Schemas, TheSpecReaderKnowsExactlyTheKeysOfTheSchema) {
  for (const auto& [key, unused] : schema_of("spec").at("properties").items()) {
    try {
      parse_spec("{\"" + key + "\": null}", "spec");
    } catch (const Error& error) {
      EXPECT_EQ(error.message().find("unknown key"), std::string::npos) << error.what();
    }
  }
  EXPECT_FALSE(violations(schema_of("spec"), json::parse(R"({"sizes": "workload"})")).empty());
}

TEST(Schemas, WhatTheReaderWritesBackFitsTheSpecSchema) {
  for (const auto& file : json_files(kSweeps)) {
    const json written = json::parse(to_json_text(load_spec(file)));
    EXPECT_EQ(violations(schema_of("spec"), written), std::vector<std::string>{}) << file;
  }
}

TEST(Schemas, AWrittenWorkloadFitsTheWorkloadSchema) {
  Workload workload;
  workload.sources = {{"trace.json", "kineto", "PyTorch", 0}};
  WorkloadCase item;
  item.op = ReduceOp::avg;
  item.count = 256;
  item.bytes = Bytes{1024};
  item.group_size = 8;
  item.group_stride = 1;
  item.calls = 0.5;
  workload.cases = {item};
  const json written = json::parse(to_json_text(workload));
  EXPECT_EQ(violations(schema_of("workload"), written), std::vector<std::string>{}) << written;
}

TEST(Schemas, EveryKindOfRecordFitsTheRecordSchema) {
  RunRecord run;
  run.candidates = {Candidate{}, Candidate{{{"A", "1"}}}};
  run.cases = {Case{}};
  run.workload = WorkloadSummary{"job", "kineto", 2};
  BlocksRecord blocks;
  blocks.timing.mean_seconds = {1e-3};
  blocks.timing.max_seconds = {1e-3};
  blocks.timing.slowest_rank = {1};
  FailureRecord failure;
  failure.outcome = Outcome::hung;
  failure.failure.device = "NVIDIA H200 3";
  failure.failure.behind = "3 of 16 cases behind the furthest";
  TrialRecord trial;
  trial.slowest = {{12, "node3", 9, 0.07}};
  trial.rank_seconds = {1, 2, 3};
  EndRecord end;
  end.control = ControlFigures{};
  const EvidenceRecord evidence{{}, {{FactKind::variable, "NCCL_ALGO", "Ring", 2}}};
  for (const Record& record : {Record(run), Record(blocks), Record(failure), Record(evidence),
                               Record(trial), Record(end)}) {
    const json line = json::parse(to_line(record));
    EXPECT_EQ(violations(schema_of("record"), line), std::vector<std::string>{}) << line;
    json broken = line;
    broken.erase("record");
    EXPECT_FALSE(violations(schema_of("record"), broken).empty());
  }
}

}  // namespace
}  // namespace nccl_sweep::checks

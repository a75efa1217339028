// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "core/baseline_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.hpp"

namespace nccl_sweep {
namespace {

const std::string kGood = R"({
  "nccl_sweep_baseline": 1,
  "fabrics": [{"name": "f", "gpu": "H100", "nodes": 2, "gpus_per_node": 8, "network": "IB",
               "adapters": 8, "gbit_per_s": 400}],
  "sources": [{"id": "s", "class": "measured by us", "title": "t",
               "environment": {"NCCL_ALGO": "Ring"}},
              {"id": "o", "class": "floor", "title": "u"}],
  "series": [
    {"fabric": "f", "source": "s", "collective": "all_gather", "dtype": "bf16", "group": "node",
     "group_size": 8,
     "figures": [{"size": "16M", "busbw": 100, "low": 99, "high": 101, "launches": 4}]},
    {"fabric": "f", "source": "o", "collective": "all_reduce", "placement": "in_place",
     "figures": [{"kind": "average", "from": "1G", "to": "16G", "busbw": 440},
                 {"kind": "peak", "busbw": 7}]}],
  "contradictions": [{"text": "one of them is wrong", "sources": ["s", "o"]}]
})";

std::string with(const std::string& what, const std::string& instead) {
  std::string text = kGood;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), instead);
}

std::string complaint(const std::string& text) {
  try {
    parse_baseline(text, "b.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
    return error.where() + ": " + error.message();
  }
  return "no complaint";
}

TEST(BaselineFile, IsReadWithEverythingThatItSays) {
  const BaselineFile file = parse_baseline(kGood, "b.json");
  const BaselineFabric& fabric = file.fabric("f");
  EXPECT_EQ(fabric.ranks, 16);
  EXPECT_EQ(fabric.gbit_per_s, 400);
  EXPECT_EQ(file.source("s").figure_class, FigureClass::measured);
  EXPECT_EQ(file.source("s").environment.at("NCCL_ALGO"), "Ring");
  ASSERT_EQ(file.series.size(), 2U);
  const BaselineSeries& first = file.series[0];
  EXPECT_EQ(first.dtype, DataType::bfloat16);
  EXPECT_EQ(first.placement, std::nullopt);
  EXPECT_EQ(first.group_size, 8);
  EXPECT_EQ(first.figures[0].size, Bytes{16 << 20});
  EXPECT_EQ(first.figures[0].launches, 4);
  EXPECT_EQ(file.series[1].group_size, 16);
  EXPECT_EQ(file.series[1].placement, Placement::in_place);
  EXPECT_EQ(file.contradictions[0].sources, (std::vector<std::string>{"s", "o"}));
}

TEST(BaselineFile, WhatIsWrittenReadsTheSame) {
  const std::string written = to_json_text(parse_baseline(kGood, "b.json"));
  const BaselineFile again = parse_baseline(written, "written");
  EXPECT_EQ(to_json_text(again), written);
  EXPECT_EQ(again.series[0].figures[0].high, 101);
  EXPECT_EQ(again.series[1].figures[0].kind, FigureKind::average);
  EXPECT_EQ(again.series[1].figures[0].to, Bytes{16LL << 30});
  EXPECT_EQ(again.series[0].group, "node");
  EXPECT_EQ(again.fabric("f").network, "IB");
  EXPECT_EQ(again.source("o").figure_class, FigureClass::floor);
}

TEST(BaselineFile, LabelsSayWhatAFigureIsOf) {
  const BaselineFile file = parse_baseline(kGood, "b.json");
  EXPECT_EQ(figure_label(file.series[0].figures[0]), "16 MiB");
  EXPECT_EQ(figure_label(file.series[1].figures[0]), "average of 1 GiB to 16 GiB");
  EXPECT_EQ(figure_label(file.series[1].figures[1]), "peak");
  EXPECT_EQ(figure_label({FigureKind::peak, {}, {}, Bytes{1 << 20}, 1}), "peak up to 1 MiB");
  EXPECT_EQ(figure_label({FigureKind::peak, {}, Bytes{1 << 20}, {}, 1}), "peak from 1 MiB");
  EXPECT_EQ(source_and_figures(file, "o"), "floor, u: all_reduce peak 7 GB/s");
}

struct Broken {
  const char* what;
  const char* instead;
  const char* complaint;
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.complaint; }

class BrokenBaseline : public testing::TestWithParam<Broken> {};

TEST_P(BrokenBaseline, IsRefusedWithPlaceAndReason) {
  const Broken& broken = GetParam();
  EXPECT_EQ(complaint(with(broken.what, broken.instead)), broken.complaint);
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenBaseline,
    testing::Values(
        Broken{"baseline\": 1", "baseline\": 2",
               "b.json: a baseline of format 2, this version reads 1"},
        Broken{"\"nccl_sweep_baseline\": 1,", "", "b.json#: 'nccl_sweep_baseline' is missing"},
        Broken{"\"nodes\"", "\"nodez\"", "b.json#/fabrics/0: unknown key 'nodez'"},
        Broken{"measured by us", "measured by me",
               "b.json#/sources/0/class: 'measured by me' is not known here"},
        Broken{"\"title\": \"u\"", "\"note\": \"u\"", "b.json#/sources/1: 'title' is missing"},
        Broken{"\"id\": \"o\"", "\"id\": \"s\"", "b.json#/sources/1: 's' is declared twice"},
        Broken{"\"fabric\": \"f\", \"source\": \"o\"", "\"fabric\": \"g\", \"source\": \"o\"",
               "b.json#/series/1/fabric: 'g' is not declared in this file"},
        Broken{"\"source\": \"o\"", "\"source\": \"p\"",
               "b.json#/series/1/source: 'p' is not declared in this file"},
        Broken{"[\"s\", \"o\"]", "[\"s\", \"p\"]",
               "b.json#/contradictions/0/sources/1: 'p' is not declared in this file"},
        Broken{"\"low\": 99", "\"low\": 100.5",
               "b.json#/series/0/figures/0: the interval does not hold the value"},
        Broken{", \"high\": 101", "",
               "b.json#/series/0/figures/0: an interval needs both 'low' and 'high'"},
        Broken{"\"launches\": 4", "\"launches\": 1",
               "b.json#/series/0/figures/0: an interval needs 'launches' of 2 and more"},
        Broken{"\"busbw\": 7", "\"busbw\": -7",
               "b.json#/series/1/figures/1/busbw: -7 is not between 1e-09 and 1000000"},
        Broken{"{\"kind\": \"peak\", \"busbw\": 7}", "{\"busbw\": 7}",
               "b.json#/series/1/figures/1: 'size' is missing"},
        Broken{"\"kind\": \"peak\", \"busbw\": 7",
               "\"kind\": \"peak\", \"size\": \"1M\", \"busbw\": 7",
               "b.json#/series/1/figures/1: a figure has either a size or a kind with from and to"},
        Broken{"{\"kind\": \"peak\", \"busbw\": 7}",
               "{\"kind\": \"average\", \"from\": \"1G\", \"to\": \"16G\", \"busbw\": 7}",
               "b.json#/series/1/figures/1: this size stands here twice"},
        Broken{"\"16M\"", "\"16MB\"", "b.json#/series/0/figures/0/size: '16MB' is not a size"}),
    [](const auto& name) { return "Case" + std::to_string(name.index); });

TEST(BaselineFile, ANumberThatIsTooLargeIsOneClearError) {
  EXPECT_EQ(complaint(with("\"busbw\": 7", "\"busbw\": 1e309")).substr(0, 17), "b.json: not JSON:");
}

TEST(BaselineFile, ACutOffFileIsOneClearError) {
  EXPECT_EQ(complaint(kGood.substr(0, kGood.size() / 2)).substr(0, 7), "b.json:");
}

TEST(BaselineFile, EveryShippedFileIsInTheWritersForm) {
  const auto files = baseline_files(std::filesystem::path(SOURCE_FOLDER) / "results/baselines");
  ASSERT_GE(files.size(), 9U);
  for (const auto& file : files) {
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_EQ(to_json_text(load_baseline(file)), text) << file;
  }
}

}  // namespace
}  // namespace nccl_sweep

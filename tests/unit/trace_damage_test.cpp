// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Traces as they really arrive: re-dumped, cut, with broken strings, or no traces at all.
#include <nlohmann/json.hpp>

#include "small_traces.hpp"

namespace nccl_sweep::test {
namespace {

using nlohmann::ordered_json;

const std::filesystem::path kMoe = kData / "traces" / "moe_kineto_rank0.json.gz";

Lines expected() { return lines_of(read_traces({kMoe}, {})); }

// The shipped trace with every name of one kind of event replaced.
std::string with_names(std::string_view name) {
  std::string text = gunzip(kMoe);
  replace_all(text, "\"aten::view\"", name);
  return text;
}

TEST(TraceDamage, ADumpByAnotherToolIsTheSameTrace) {
  const ordered_json document = ordered_json::parse(gunzip(kMoe));
  ordered_json info_last = document;
  info_last.erase("distributedInfo");
  info_last["distributedInfo"] = document["distributedInfo"];
  ordered_json events_first = {{"traceEvents", document["traceEvents"]}};
  for (const auto& [key, value] : document.items()) events_first[key] = value;
  const std::string unordered = nlohmann::json(document).dump();
  std::string windows = gunzip(kMoe);
  replace_all(windows, "\n", "\r\n");
  EXPECT_EQ(lines_of(import_text(document.dump(4))), expected());
  EXPECT_EQ(lines_of(import_text(document.dump())), expected());
  EXPECT_EQ(lines_of(import_text(info_last.dump())), expected());
  EXPECT_EQ(lines_of(import_text(events_first.dump(1))), expected());
  EXPECT_EQ(lines_of(import_text(unordered)), expected());
  EXPECT_EQ(lines_of(import_text(windows)), expected());
  EXPECT_EQ(lines_of(import_text("\xef\xbb\xbf" + document.dump())), expected());
}

TEST(TraceDamage, TheContentTellsTheFormatNotTheName) {
  const Folder folder;
  const auto packed = folder.write("trace.json", read_bytes(kMoe));
  const auto plain = folder.write("trace.gz", gunzip(kMoe));
  EXPECT_EQ(lines_of(read_traces({packed}, {})), expected());
  EXPECT_EQ(lines_of(read_traces({plain}, {})), expected());
}

TEST(TraceDamage, GzipMembersMayFollowOneAnother) {
  const std::string text = gunzip(kMoe);
  EXPECT_EQ(lines_of(import_text(gzip(text.substr(0, 70000)) + gzip(text.substr(70000)))),
            expected());
  EXPECT_EQ(lines_of(import_text(gzip(text) + std::string(512, '\0'))), expected());
}

TEST(TraceDamage, BrokenStringsInOtherEventsDoNoHarm) {
  EXPECT_EQ(lines_of(import_text(with_names("\"a\x01\tb\""))), expected());     // control bytes
  EXPECT_EQ(lines_of(import_text(with_names("\"operator\"<\""))), expected());  // raw quote
  EXPECT_EQ(lines_of(import_text(with_names("\"C:\\dir\\\""))), expected());    // raw backslash
  EXPECT_EQ(lines_of(import_text(with_names("\"two\nlines\""))), expected());   // raw line break
  EXPECT_EQ(lines_of(import_text(with_names("\"}}]{[\""))), expected());        // fine, in fact
  EXPECT_EQ(lines_of(import_text(with_names("\"x\"}}{[[\""))), expected());     // all at once
}

TEST(TraceDamage, ABrokenStringOnASingleLineCostsItsEventOnly) {
  std::string line = ordered_json::parse(gunzip(kMoe)).dump();
  replace_all(line, "\"aten::view\"", "\"aten::\"view\"");
  const Workload workload = import_text(line);
  EXPECT_EQ(lines_of(workload), expected());
  EXPECT_TRUE(has_note(workload, "unreadable events"));
}

TEST(TraceDamage, ARecordWithOddBytesIsStillRead) {
  std::string text = gunzip(kMoe);
  replace_all(text, "default_pg",
              "d\xe9\x01"
              "fault\\path\n_pg");
  EXPECT_EQ(lines_of(import_text(text)), expected());
}

TEST(TraceDamage, ATruncatedTraceIsRefusedWithItsLastByte) {
  const Folder folder;
  const std::string text = gunzip(kMoe);
  const std::string error = import_error(folder.write("cut.json", text.substr(0, 200000)));
  EXPECT_NE(error.find("byte 200000"), std::string::npos) << error;
  EXPECT_NE(error.find("cut.json"), std::string::npos) << error;
  EXPECT_NE(error.find("--keep-partial"), std::string::npos) << error;
  for (std::size_t size = 1; size + 3 < text.size(); size += 9973) {
    EXPECT_NE(import_error(folder.write("cut", text.substr(0, size))), "") << size;
  }
}

TEST(TraceDamage, KeepPartialReadsWhatIsThere) {
  const Folder folder;
  const auto cut = folder.write("cut", gunzip(kMoe).substr(0, 200000));
  const Workload workload = read_traces({cut}, {.keep_partial = true});
  EXPECT_FALSE(workload.cases.empty());
  EXPECT_TRUE(has_note(workload, "byte 200000"));
}

TEST(TraceDamage, ATruncatedOrCorruptGzipIsRefused) {
  const Folder folder;
  const std::string packed = read_bytes(kMoe);
  for (const std::size_t size : {3UL, 15UL, 4000UL, packed.size() - 9, packed.size() - 1}) {
    EXPECT_NE(import_error(folder.write("cut.gz", packed.substr(0, size))), "") << size;
  }
  const auto cut = folder.write("cut.gz", packed.substr(0, 20000));
  EXPECT_NE(import_error(cut).find("packed byte 20000"), std::string::npos) << import_error(cut);
  EXPECT_NO_THROW(read_traces({cut}, {.keep_partial = true}));
  std::string corrupt = packed;
  corrupt[corrupt.size() - 6] = static_cast<char>(corrupt[corrupt.size() - 6] ^ 1);  // its CRC
  EXPECT_NE(import_error(folder.write("bad.gz", corrupt)).find("corrupt"), std::string::npos);
}

TEST(TraceDamage, WhatIsNoTraceGivesOneClearError) {
  const Folder folder;
  const auto error = [&](std::string_view text) {
    return import_error(folder.write("file", text));
  };
  EXPECT_NE(error("").find("is empty"), std::string::npos);
  EXPECT_NE(error(gzip("")).find("empty once unpacked"), std::string::npos);
  EXPECT_NE(error(std::string("\x7f"
                              "ELF\0\0\0\x01\x02\x03",
                              10))
                .find("no known trace format"),
            std::string::npos);
  EXPECT_NE(error("hello\n").find("without NCCL's log lines"), std::string::npos);
  EXPECT_NE(error("{\"a\": 1}").find("without traceEvents"), std::string::npos);
  EXPECT_NE(error("{\"traceEvents\": []}").find("ProfilerActivity.CPU"), std::string::npos);
  EXPECT_NE(error("{]").find("no valid JSON at byte 1"), std::string::npos);
  EXPECT_NE(import_error(folder.path()).find("is a folder"), std::string::npos);
  EXPECT_NE(import_error(folder.path() / "none").find("No such file"), std::string::npos);
}

TEST(TraceDamage, AnEventLargerThanAnyIsSkipped) {
  const std::string huge = "{\"ph\": \"X\", \"name\": \"" + std::string(20 << 20, 'x') + "\"}";
  const Workload workload = import_text(trace({step(1, 0, 100), huge, event({})}));
  EXPECT_EQ(lines_of(workload), Lines{"all_reduce float32 1024 x2/1 1"});
  EXPECT_TRUE(has_note(workload, "unreadable events: 1"));
}

TEST(TraceDamage, FormatsThatAreNotReadYetAreNamed) {
  const Folder folder;
  const auto expect_named = [](const std::filesystem::path& file, std::string_view name) {
    const std::string error = import_error(file);
    EXPECT_NE(error.find(name), std::string::npos) << error;
    EXPECT_NE(error.find("recognised, not read yet"), std::string::npos) << error;
  };
  expect_named(kData / "traces/moe_execution_trace_rank0.json.gz", "execution trace");
  expect_named(kData / "traces/moe_flight_recorder_rank0.json.gz", "flight recorder");
  expect_named(kData / "traces/moe_flight_recorder_rank0.pickle.gz", "flight recorder");
  expect_named(folder.write("a", std::string("SQLite format 3\0\x10", 17)),
               "Nsight Systems SQLite");
  expect_named(folder.write("b", "[{\"ph\": \"b\", \"cat\": \"COLL\"}]"), "NCCL profiler plugin");
  expect_named(folder.write("c", "{\"nccl_sweep_workload\": 1}"), "workload");
}

TEST(TraceDamage, FilesOfTwoFormatsDoNotMix) {
  const auto log = kData / "nccl-logs" / "fsdp2_coll_rank0.log.gz";
  EXPECT_THROW(read_traces({kMoe, log}, {.iterations = 2}), Error);
}

}  // namespace
}  // namespace nccl_sweep::test

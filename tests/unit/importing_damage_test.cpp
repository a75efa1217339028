// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Files with random damage: reading ends with launches or with one clear error, never otherwise,
// and what is taken is usable.
#include <random>

#include "analysis/verdict.hpp"
#include "importing/imported_run.hpp"
#include "unit/shipped_log.hpp"
#include "unit/small_launches.hpp"

namespace nccl_sweep::test {
namespace {

std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t limit) {
    return limit == 0 ? 0 : static_cast<std::size_t>(random()) % limit;
  };
  const std::size_t changes = 1 + below(12);
  for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(below(80), text.size() - at);
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        text.insert(at, std::array{"\n", " ", "\t", "99999999999999999999", "-1", "nan", "1e309",
                                   "#", "NCCL INFO ", "\"", "{", "]"}[below(12)]);
        break;
      default:
        std::swap(text[at], text[below(text.size())]);
    }
  }
  return text;
}

// True where a run came of it.
bool survives(const Folder& folder, const std::string& name, const std::string& text) {
  try {
    const ImportedFiles files = read_launches({folder.write(name, text)});
    ImportedRunOptions options;
    options.settings = {parse_named_setting("NCCL_X=1")};
    const RunData data = make_run(files, options);
    for (const TrialOutcome& trial : data.trials) {
      for (const CaseTiming& timing : trial.cases) {
        EXPECT_LT(static_cast<std::size_t>(timing.case_index), data.run.cases.size());
        for (const double seconds : timing.mean_seconds) {
          EXPECT_TRUE(std::isfinite(seconds) && seconds > 0) << seconds;
        }
      }
    }
    folder.write("records.jsonl", record_lines(data));
    find(read_run(folder.path()));
    return true;
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    EXPECT_EQ(error.exit_code(), ExitCode::usage);
    return false;
  }
}

int survivors(const std::string& name, const std::string& text, int attempts) {
  const Folder folder;
  std::mt19937 random(20260110);
  int survived = 0;
  for (int i = 0; i < attempts; ++i)
    survived += survives(folder, name, damaged(text, random)) ? 1 : 0;
  return survived;
}

TEST(ImportDamage, TextOfSeveralLaunches) {
  EXPECT_GT(survivors("all_reduce.log", launch() + launch(120, 200) + launch(130, 300), 400), 130);
}

TEST(ImportDamage, TextMixedWithALog) {
  EXPECT_GT(survivors("all_gather.log", shipped_log("evidence_socket_4x2.log.gz"), 30), 10);
}

TEST(ImportDamage, Json) {
  const std::string text = gunzip(kLaunches / "all_gather_nccl2.28.3_launch1.json.gz");
  EXPECT_GT(survivors("all_gather.json", text, 300), 60);
}

TEST(ImportDamage, AllKindsOfFilesThatAreNone) {
  const Folder folder;
  const std::string deep = "{\"config\":" + std::string(200000, '[');
  for (const std::string& text :
       {std::string("{}"), std::string("{\"config\": 3}"), std::string("[1,2]"), deep,
        std::string("\0\0\0\0", 4), std::string(100000, '#'), std::string(100000, '\n'),
        std::string("{\"config\":{\"devices\":3,\"graph\":-7},\"results\":[[],{},7]}")}) {
    EXPECT_FALSE(survives(folder, "all_gather.log", text));
  }
}

}  // namespace
}  // namespace nccl_sweep::test

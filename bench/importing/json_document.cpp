// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
#include "importing/json_document.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace nccl_sweep {
namespace {

using nlohmann::json;

// Builds the document as far as the text goes.
class Builder : public nlohmann::json_sax<json> {
 public:
  json document;
  bool whole = true;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& name) override {
    if (skipped_ == 0) key_ = name;
    return true;
  }
  bool start_object(std::size_t) override { return start(json::object()); }
  bool start_array(std::size_t) override { return start(json::array()); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    whole = false;
    return false;
  }

 private:
  static constexpr std::size_t kDeepest = 64;

  bool passed_over() const { return key_.ends_with("_per_iter"); }

  json* add(json value) {
    if (open_.empty()) {
      document = std::move(value);
      return &document;
    }
    json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    json& member = parent[key_];
    member = std::move(value);
    return &member;
  }

  template <typename Value>
  bool add(Value&& value) {
    if (skipped_ == 0) add(json(std::forward<Value>(value)));
    return true;
  }

  bool start(json container) {
    if (skipped_ > 0 || (!open_.empty() && open_.back()->is_object() && passed_over())) {
      ++skipped_;
      return true;
    }
    if (open_.size() >= kDeepest) return false;
    open_.push_back(add(std::move(container)));
    return true;
  }

  bool end() {
    if (skipped_ > 0) {
      --skipped_;
    } else if (!open_.empty()) {
      open_.pop_back();
    }
    return true;
  }

  std::vector<json*> open_;
  std::string key_;
  int skipped_ = 0;  // depth inside a value that is passed over
};

// Infinite numbers are printed bare, which no reader of JSON takes.
std::string without_infinities(std::string_view text) {
  std::string result(text);
  for (const std::string_view word : {":inf", ":-inf"}) {
    for (std::size_t at = result.find(word); at != std::string::npos;
         at = result.find(word, at + 1)) {
      result.replace(at, word.size(), ":\"inf\"");
    }
  }
  return result;
}

}  // namespace

bool read_as_far_as_it_goes(std::string_view text, json& document) {
  Builder builder;
  json::sax_parse(text, &builder);
  if (!builder.whole && text.find("inf,") != std::string_view::npos) {
    builder = Builder{};
    json::sax_parse(without_infinities(text), &builder);
  }
  document = std::move(builder.document);
  return builder.whole;
}

}  // namespace nccl_sweep

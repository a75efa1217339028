// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers and texts one after the other in a string, as they lie in memory: for messages between
// agents, which are one program on machines of one kind. Unpacker throws where a text ends early.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace nccl_sweep::agent {

class Packer {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    text_.append(bytes, sizeof(T));
  }
  void text(std::string_view value) {
    put(static_cast<std::uint32_t>(value.size()));
    text_.append(value);
  }
  void raw(std::string_view packed) { text_.append(packed); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view packed) : rest_(packed) {}

  template <class T>
  T get() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, bytes(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view text() { return bytes(get<std::uint32_t>()); }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view bytes(std::size_t count) {
    if (count > rest_.size()) throw std::runtime_error("a message of another agent is cut off");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace nccl_sweep::agent

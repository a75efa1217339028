// SPDX-FileCopyrightText: 2026 nccl-sweep authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a trace, unpacked where the file is gzip (told by its content, not by its name), in
// pieces, so that a file of any size needs the same memory. Damage (a truncated or corrupt gzip
// stream, an I/O error) ends the stream and is kept as text: the reader decides whether what was
// read so far is worth something. Pipes work, nothing is read twice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nccl_sweep {

class Inflater;

class ByteSource {
 public:
  // Throws a usage Error for a missing, unreadable or empty file and for a folder.
  explicit ByteSource(const std::filesystem::path& file);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  const std::filesystem::path& file() const { return file_; }
  bool packed() const { return inflater_ != nullptr; }

  // The first bytes (64 KiB, or the whole of a shorter file). Call before the first read().
  std::string_view head();

  // Fills `to` as far as possible; less than `size` only at the end, 0 there.
  std::size_t read(char* to, std::size_t size);

  std::uint64_t offset() const { return offset_; }       // unpacked bytes read so far
  const std::string& damage() const { return damage_; }  // empty, or why the stream ended early

 private:
  std::size_t read_file(char* to, std::size_t size);
  std::size_t read_unpacked(char* to, std::size_t size);
  void refill_packed();

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::unique_ptr<Inflater> inflater_;
  std::vector<char> packed_;  // read from the file and not yet unpacked
  std::size_t packed_begin_ = 0;
  std::size_t packed_end_ = 0;
  std::uint64_t packed_offset_ = 0;  // packed bytes consumed
  bool member_open_ = true;          // inside a gzip member: an end here is a truncation
  std::string head_;
  std::size_t head_used_ = 0;
  std::uint64_t offset_ = 0;
  std::string damage_;
};

}  // namespace nccl_sweep

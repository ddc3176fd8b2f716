#include "cotangent/base/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cotangent/base/appended_file.hpp"
#include "cotangent/base/interruption.hpp"
#include "cotangent/base/replaced_file.hpp"

namespace cotangent {
namespace {

namespace fs = std::filesystem;

const FileKind kKind{.name = "poem", .begin = "poem\n", .may_be_stream = true};
const FileKind kStored{.name = "poem", .begin = "poem\n", .may_be_stream = false};

class Files : public testing::Test {
 protected:
  Files() {
    std::string name = (fs::path(testing::TempDir()) / "cotangent-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string text(const std::string& name) const {
    std::stringstream stream;
    stream << std::ifstream(path(name)).rdbuf();
    return stream.str();
  }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

std::string reason(const auto& f) {
  try {
    f();
  } catch (const FileError& error) {
    return error.reason();
  }
  return "none";
}

TEST_F(Files, AreReadUpToALimit) {
  write("a", "0123456789");
  EXPECT_EQ(read_text(path("a")), "0123456789");
  EXPECT_EQ(read_text(path("a"), 10), "0123456789");
  EXPECT_EQ(reason([&] { read_text(path("a"), 9); }), "it is larger than 0 MiB");
  EXPECT_EQ(reason([&] { read_text(path("b")); }), "No such file or directory");
  EXPECT_EQ(reason([&] { read_text(folder_.string()); }), "it is a folder");
  EXPECT_EQ(reason([&] { read_text("/dev/zero"); }), "it has zero bytes and is no text");
  EXPECT_LE(read_text("/dev/zero", 1 << 20, "text").size(), std::size_t{1} << 16);
}

TEST_F(Files, AreTheSameWhateverTheirPathsAre) {
  fs::create_directory(folder_ / "sub");
  fs::create_directory_symlink("sub", folder_ / "way");
  fs::create_symlink("sub/a", folder_ / "link");
  for (const bool exists : {false, true}) {
    if (exists) write("sub/a", "");
    for (const char* other : {"sub/a", "sub/./a", "sub/../sub/a", "way/a", "way/../way/a", "link"})
      EXPECT_TRUE(is_same_file(path("sub/a"), path(other))) << other;
    for (const char* other : {"a", "sub/b", "sub", "none/a"})
      EXPECT_FALSE(is_same_file(path("sub/a"), path(other))) << other;
  }
  fs::create_hard_link(folder_ / "sub/a", folder_ / "hard");
  EXPECT_TRUE(is_same_file(path("sub/a"), path("hard")));
  EXPECT_FALSE(is_same_file(path("none/a"), path("none/a")));
  EXPECT_EQ(resolve(path("link")), fs::canonical(folder_ / "sub").string() + "/a");
}

TEST_F(Files, AreFoundThroughAsManyLinksAsTheSystemFollows) {
  for (int k = 1; k <= 45; ++k) fs::create_symlink(std::to_string(k - 1), folder_ / std::to_string(k));
  for (const bool exists : {false, true}) {
    if (exists) write("0", "");
    EXPECT_EQ(resolve(path("35")), fs::canonical(folder_).string() + "/0");
    EXPECT_THROW(resolve(path("45")), FileError);
  }
}

TEST_F(Files, AreWrittenOverThoseOfTheirKindOnly) {
  write("model", "[system]");
  write("poem", "poem\nold");
  write("empty", "");
  EXPECT_EQ(reason([&] { AppendedFile(path("model"), kKind); }), "it exists and is no poem; use another name");
  EXPECT_EQ(reason([&] { ReplacedFile(path("model"), kStored); }), "it exists and is no poem; use another name");
  EXPECT_EQ(text("model"), "[system]");
  for (const char* name : {"poem", "empty", "new"}) {
    AppendedFile file(path(name), kKind);
    file.begin(0);
    EXPECT_EQ(file.append("poem\n"), 5u);
    file.close();
    EXPECT_EQ(text(name), "poem\n") << name;
  }
}

TEST_F(Files, AreLeftAsTheyWereUntilSomethingIsWritten) {
  write("poem", "poem\nold");
  { AppendedFile file(path("poem"), kKind); }
  EXPECT_EQ(text("poem"), "poem\nold");
  { AppendedFile file(path("new"), kKind); }
  { ReplacedFile file(path("new"), kStored); }
  EXPECT_FALSE(fs::exists(path("new")));
}

TEST_F(Files, AreBornWithTheirBeginning) {
  write("poem", "poem\nold");
  AppendedFile old(path("poem"), kKind, "poem\nnew\n");
  EXPECT_EQ(text("poem"), "poem\nold");
  AppendedFile file(path("new"), kKind, "poem\nnew\n");
  EXPECT_EQ(text("new"), "poem\nnew\n");
  EXPECT_EQ(count(), 2u);
  file.begin(9);
  EXPECT_EQ(file.append("one\n"), 4u);
  EXPECT_EQ(text("new"), "poem\nnew\none\n");
}

TEST_F(Files, HaveWhatIsWrittenAcrossPages) {
  std::string lines;
  for (int k = 0; lines.size() < 50000; ++k) lines += std::string(static_cast<std::size_t>(k * k % 9973), 'x') + '\n';
  AppendedFile file(path("poem"), kKind);
  file.begin(0);
  for (const std::size_t half : {lines.size() / 2, lines.size() - lines.size() / 2})
    EXPECT_EQ(file.append(lines.substr(text("poem").size(), half)), half);
  EXPECT_EQ(text("poem"), lines);
}

TEST_F(Files, EndWithAWholeLineWhereNothingMoreFits) {
  AppendedFile file(path("poem"), kKind);
  file.begin(0);
  EXPECT_EQ(file.append("poem\n"), 5u);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto signal = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{12, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_EQ(file.append("one\ntwo, three\nfour\n"), 4u);
  EXPECT_EQ(file.error(), EFBIG);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, signal);
  EXPECT_EQ(text("poem"), "poem\none\n");
  EXPECT_EQ(file.append("two, three\nfour\n"), 16u);
  EXPECT_EQ(text("poem"), "poem\none\ntwo, three\nfour\n");
}

TEST_F(Files, AreReplacedAsAWhole) {
  fs::create_symlink("real", folder_ / "link");
  ReplacedFile file(path("link"), kStored);
  for (const char* poem : {"poem\n1", "poem\n2"}) {
    file.replace(poem);
    EXPECT_EQ(text("real"), poem);
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(count(), 2u);
  }
  // Somebody puts something else there.
  write("real", "[system]");
  EXPECT_EQ(reason([&] { file.replace("poem\n3"); }), "it exists and is no poem; use another name");
  EXPECT_EQ(text("real"), "[system]");
  EXPECT_EQ(count(), 2u);
  fs::remove(folder_ / "real");
  file.replace("poem\n4");
  EXPECT_EQ(text("real"), "poem\n4");
}

TEST_F(Files, BelongToOneAtATime) {
  fs::create_symlink("a", folder_ / "link");
  {
    const AppendedFile appended(path("a"), kKind);
    EXPECT_EQ(reason([&] { AppendedFile(path("link"), kKind); }), "another run is writing it");
    const ReplacedFile replaced(path("b"), kStored);
    EXPECT_EQ(reason([&] { ReplacedFile(path("b"), kStored); }), "another run is writing it");
    const ReplacedFile other(path("c"), kStored);
  }
  const AppendedFile appended(path("link"), kKind);
  const ReplacedFile replaced(path("b"), kStored);
}

TEST_F(Files, StreamsAreNeverReplaced) {
  EXPECT_EQ(reason([&] { ReplacedFile("/dev/null", kStored); }), "it is no ordinary file, and no place for a poem");
  EXPECT_EQ(reason([&] { ReplacedFile(folder_.string(), kStored); }), "it is a folder");
  AppendedFile file("/dev/null", kKind);
  file.begin(0);
  EXPECT_EQ(file.append("poem\n"), 5u);
  file.sync();
}

TEST(Interruption, GivesAStepTimeToEnd) {
  volatile std::sig_atomic_t flag = 0;
  Interruption interruption(&flag);
  interruption.check();
  flag = 1;
  EXPECT_TRUE(interruption.is_requested());
  EXPECT_NO_THROW(interruption.check());
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_THROW(interruption.check(), Interrupted);
  Interruption none(nullptr);
  EXPECT_FALSE(none.is_requested());
  EXPECT_NO_THROW(none.check());
}

}  // namespace
}  // namespace cotangent

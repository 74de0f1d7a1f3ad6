/// Traces in files: every double is preserved to the bit, and a file appears complete or not at all.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <thread>

#include "bristle/output.hpp"
#include "bristle/trace.hpp"

using namespace bristle;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;
const double nan_value = std::numeric_limits<double>::quiet_NaN(), inf_value = std::numeric_limits<double>::infinity();

std::string csv(const Trace& trace) {
  std::ostringstream out;
  write_csv(trace, out);
  return out.str();
}
Lines said(const std::string& text) {
  Lines out;
  for (const Problem& p : parse_csv(text, "d.csv").problems) out.push_back(p.line());
  return out;
}
std::vector<double> row(const std::string& text, std::size_t i) {
  const TraceRead read = parse_csv(text, "d.csv");
  EXPECT_TRUE(read.problems.empty()) << text;
  std::vector<double> out;
  for (const Column& c : read.trace.columns) out.push_back(c.values.at(i));
  return out;
}

class Output : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("output" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string in(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }
  static std::string text(const std::string& path) { return read_file(path, 1000); }
  static void put(const std::string& path, const std::string& what) {
    write_file(path, [&](std::ostream& out) { out << what; });
  }
  static std::string failure(const std::string& path, const std::string& what = "x") {
    try {
      put(path, what);
    } catch (const FileError& e) { return e.what(); }
    return "";
  }

 private:
  fs::path folder_;
};

}  // namespace

TEST(Csv, HeaderAndShortestNumbers) {
  EXPECT_EQ(csv({{{"t", "s", {0, 0.1}}, {"x", "m", {1e-300, -2.5}}}}), "t,x\n0,1e-300\n0.1,-2.5\n");
  EXPECT_EQ(csv({{{"t", "s", {-nan_value}}, {"x", "m", {-inf_value}}}}), "t,x\nnan,-inf\n");
}

#ifdef __linux__
/// Short pieces of text are collected: a call of the system for each would take most of the time.
TEST_F(Output, ManyPiecesAreWrittenAtOnce) {
  const auto calls = [] {
    std::ifstream io("/proc/self/io");
    std::string word;
    long n = -1;
    while (io >> word) {
      if (word == "syscw:") io >> n;
    }
    return n;
  };
  if (calls() < 0) GTEST_SKIP() << "the system does not count calls";
  const std::string path = in("pieces.csv");
  const long before = calls();
  write_file(path, [](std::ostream& out) {
    for (int k = 0; k < 10000; ++k) out << "12.5," << k << '\n';
  });
  EXPECT_LT(calls() - before, 100);
  std::ifstream file(path);
  std::string line;
  int lines = 0;
  while (std::getline(file, line)) ASSERT_EQ(line, "12.5," + std::to_string(lines++));
  EXPECT_EQ(lines, 10000);
}
#endif

TEST(Csv, EveryDoubleComesBack) {
  std::mt19937_64 random(1);
  Trace trace{{{"a", ""}, {"b", ""}}};
  for (int i = 0; i < 20000; ++i) {
    for (Column& c : trace.columns) {
      const double x = std::bit_cast<double>(random());
      c.values.push_back(std::isnan(x) ? 0 : x);
    }
  }
  for (const double x : {0.0, -0.0, 5e-324, 1.7976931348623157e308, 0.1, 1.0 / 3}) {
    for (Column& c : trace.columns) c.values.push_back(x);
  }
  const TraceRead read = parse_csv(csv(trace), "d.csv");
  ASSERT_TRUE(read.problems.empty());
  ASSERT_EQ(read.trace.names(), trace.names());
  ASSERT_EQ(read.trace.rows(), trace.rows());
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < trace.rows(); ++i) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read.trace.columns[c].values[i]),
                std::bit_cast<std::uint64_t>(trace.columns[c].values[i]));
    }
  }
}

TEST(Csv, ReadsWhatOthersWrite) {
  const std::vector<double> want{1, -2.5, 3000};
  for (const std::string text :
       {"t,x,v\n1,-2.5,3e3\n", "t;x;v\n1;-2.5;3e3\n", "t\tx\tv\n1\t-2.5\t3e3\n", "t x  v\n1   -2.5 \t 3e3\n",
        "1,-2.5,3e3\n", "# made by\n\n\"t\", \"x\", v\r\n 1 , -2.5 ,+3e3\r\n\r\n", "\xEF\xBB\xBFt,x,v\n1,-2.5,3e3"}) {
    EXPECT_EQ(row(text, 0), want) << text;
  }
  EXPECT_EQ(parse_csv("t, x y\n1,2\n", "").trace.names(), (Lines{"t", "x y"}));
  EXPECT_EQ(parse_csv("1 2\n", "").trace.names(), (Lines{"1", "2"}));
  EXPECT_EQ(parse_csv("t (s, from start);x\n1;2\n", "").trace.names(), (Lines{"t (s, from start)", "x"}));
  EXPECT_TRUE(std::isnan(row("t,x\n1,\n", 0)[1])) << "a missing value";
  EXPECT_EQ(row("t,x\n1,1e999\n", 0)[1], inf_value);
  EXPECT_EQ(row("t,x\n1,1e-999\n", 0)[1], 0);
}

TEST(Csv, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(said(""), Lines{"d.csv: contains no rows of numbers; a table of numbers is required"});
  EXPECT_EQ(said("t,x\n"), Lines{"d.csv: contains no rows of numbers; a table of numbers is required"});
  EXPECT_EQ(said("t,x\n1,2\n\n1,b\n1,2,3\n"),
            (Lines{"d.csv:4: 'b' in column x must be a number",
                   "d.csv:5: 3 cells, but line 1 has 2; all rows must have the same number of cells"}));
  EXPECT_EQ(said("t,x\n1,+-2\n1,1.5m\n").size(), 2U);
  std::string many = "t,x\n";
  for (int i = 0; i < 1000; ++i) many += "a,b\n";
  EXPECT_EQ(said(many).size(), 21U);
  EXPECT_EQ(said(many).back(), "d.csv: more problems of this kind follow");
  EXPECT_TRUE(parse_csv("t,x\n1,2\n1,b\n", "").trace.columns.empty());
  EXPECT_EQ(read_csv("none.csv").problems.at(0).line(), "none.csv: cannot be read: No such file or directory");
}

TEST(Csv, FindsOutHowItIsWritten) {
  const std::vector<double> want{1.5, -2.5};
  for (const std::string text :
       {"t;x\n1,5;-2,5\n", "t\tx\n1,5\t-2,5\n", "t x\n1,5 -2,5\n", "1,5 -2,5\n", "t|x\n1.5|-2.5\n", "t,x,\n1.5,-2.5,\n",
        "t,x\n1.5,-2.5,\n", "% made by\nt,x\n1.5,-2.5\n"}) {
    EXPECT_EQ(row(text, 0), want) << text;
  }
  EXPECT_EQ(parse_csv("\"x, mm\",t\n1,2\n", "").trace.names(), (Lines{"x, mm", "t"}));
  EXPECT_TRUE(std::isnan(row("t,x\n1,NA\n", 0)[1]));
  // numpy.savetxt puts the names behind a comment sign.
  EXPECT_EQ(parse_csv("# time pos\n1 2\n", "").trace.names(), (Lines{"time", "pos"}));
  EXPECT_EQ(parse_csv("# time pos\nt x\n1 2\n", "").trace.names(), (Lines{"t", "x"}));
}

TEST(Csv, TimesOfDayAreSeconds) {
  EXPECT_EQ(row("t;x\n01:02:03.5;2\n", 0), (std::vector{3723.5, 2.0}));
  EXPECT_EQ(row("t;x\n1970-01-02 00:00:01,25;2\n", 0)[0], 86401.25);
  EXPECT_EQ(row("t,x\n2024-02-29T12:00:00Z,2\n", 0)[0], 1709208000);
  EXPECT_EQ(said("t,x\n1,2\n2024-02-30 12:00:00,2\n").size(), 1U);
  EXPECT_EQ(said("t,x\n1,2\n1:2,2\n").size(), 1U);
}

TEST(Csv, LoggersPutMoreAboveTheRows) {
  const TraceRead read = parse_csv("Test bench 3\nOperator: X\n\nt;pos;F\ns;mm;[N]\n1;2,5;3\n2;3;4\n", "d.csv");
  ASSERT_TRUE(read.problems.empty()) << read.problems[0].line();
  EXPECT_EQ(read.trace.names(), (Lines{"t", "pos", "F"}));
  EXPECT_EQ(read.trace.columns[1].unit, "mm");
  EXPECT_EQ(read.trace.columns[2].unit, "N");
  EXPECT_EQ(read.trace.columns[1].values, (std::vector{2.5, 3.0}));
  EXPECT_EQ(read.first_line, 6U);
  EXPECT_EQ(parse_csv("t,x\n1,2\n\n3,4\n", "d.csv").first_line, 0U) << "lines cannot be counted by rows";
  EXPECT_EQ(read.notes, (Lines{"2 lines before the header skipped", "decimal commas"}));
}

TEST(Csv, ColumnsOfWordsAreLeftOut) {
  const TraceRead read = parse_csv("t,mode,x\n1,run,2\n2,run,3\n3,stop,4\n", "d.csv");
  ASSERT_TRUE(read.problems.empty());
  EXPECT_EQ(read.trace.names(), (Lines{"t", "x"}));
  EXPECT_EQ(read.trace.columns[1].values[2], 4);
  EXPECT_EQ(read.notes, Lines{"columns of text skipped: mode"});
  // A row that does not fit is no header.
  EXPECT_EQ(said("t,x\n0,l\n1,2\n"), Lines{"d.csv:2: 'l' in column x must be a number"});
  EXPECT_EQ(said("t,x\n1,2,3\n4,5,6\n").at(0),
            "d.csv:2: 3 cells, but line 1 has 2; all rows must have the same number of cells");
  EXPECT_EQ(said(std::string(2000000, 'x')).at(0), "d.csv: line 1 is longer than 1 MiB; a text file is required");
}

TEST(Csv, LongFilesAreThinned) {
  std::string text = "t,x\n";
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + ",1\n";
  const TraceRead read = parse_csv(text, "d.csv", 300);
  ASSERT_TRUE(read.problems.empty());
  EXPECT_EQ(read.every, 4U);
  ASSERT_EQ(read.trace.rows(), 250U);
  for (std::size_t i = 0; i < 250; ++i) EXPECT_EQ(read.trace.columns[0].values[i], 4.0 * static_cast<double>(i));
  EXPECT_EQ(parse_csv(text, "d.csv").trace.rows(), 1000U);
}

TEST_F(Output, WritesAndReplaces) {
  put(in("a"), "first");
  EXPECT_EQ(text(in("a")), "first");
  ::chmod(in("a").c_str(), 0640);
  put(in("a"), std::string(100000, 'x') + "second");
  EXPECT_EQ(fs::file_size(in("a")), 100006U);
  EXPECT_EQ(fs::status(in("a")).permissions(), fs::perms(0640)) << "permissions stay";
  EXPECT_EQ(files(), 1U) << "no temporary file stays";
}

TEST_F(Output, KeepsLinks) {
  put(in("a"), "first");
  fs::create_symlink("a", in("link"));
  put(in("link"), "second");
  EXPECT_TRUE(fs::is_symlink(in("link")));
  EXPECT_EQ(text(in("a")), "second");
}

TEST_F(Output, AppearsOnlyWhenKept) {
  put(in("a"), "old");
  {
    const OutputFile dropped(in("a"), [](std::ostream& out) { out << "new"; });
    EXPECT_EQ(text(in("a")), "old");
  }
  EXPECT_EQ(text(in("a")), "old");
  EXPECT_EQ(files(), 1U);
  EXPECT_THROW(OutputFile(in("b"), [](std::ostream&) { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(files(), 1U) << "a writer that gives up leaves nothing";
}

TEST_F(Output, Failures) {
  EXPECT_EQ(failure(in("none/a")), in("none/a") + ": cannot be written: folder " + in("none") + " does not exist");
  EXPECT_EQ(failure(in("")), in("") + ": cannot be written: Is a directory");
  EXPECT_EQ(failure(in("new/")), in("new/") + ": cannot be written: Is a directory");
  EXPECT_EQ(failure(""), "an output has no file name; a path is required");
  put(in("a"), "x");
  EXPECT_EQ(failure(in("a/b")), in("a/b") + ": cannot be written: Not a directory");
  EXPECT_EQ(failure(in(std::string(300, 'x'))), in(std::string(300, 'x')) + ": cannot be written: File name too long");
  EXPECT_EQ(files(), 1U);
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(failure("/dev/full"), "/dev/full: cannot be written: No space left on device");
    EXPECT_EQ(failure("/dev/full", std::string(1 << 20, 'x')), "/dev/full: cannot be written: No space left on device");
  }
}

TEST_F(Output, DevicesAndPipesAreWrittenDirectly) {
  put("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ASSERT_EQ(::mkfifo(in("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(in("pipe"), 1000); });
  put(in("pipe"), "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(in("pipe")));
}

TEST_F(Output, AReaderThatLeavesEarlyIsNoFailure) {
  ASSERT_EQ(::mkfifo(in("pipe").c_str(), 0600), 0);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  std::thread reader([&] { read_pieces(in("pipe"), [](std::string_view) { return false; }); });
  put(in("pipe"), std::string(1 << 22, 'x'));
  reader.join();
  std::signal(SIGPIPE, before);
}

/// Several writers of one folder: every file is whole, and those of a set belong together at every moment nobody writes.
TEST_F(Output, SetsOfSeveralWritersDoNotMix) {
  constexpr int writers = 4, sets = 25, names = 12;
  std::atomic<int> mixed = 0;
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w) {
    threads.emplace_back([&, w] {
      for (int s = 0; s < sets; ++s) {
        std::vector<OutputFile> files;
        for (int n = 0; n < names; ++n) {
          files.emplace_back(in("file" + std::to_string(n)),
                             [&](std::ostream& out) { out << std::string(500, static_cast<char>('a' + w)) << 10 + s; });
        }
        keep(files);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (int n = 1; n < names; ++n) mixed += text(in("file" + std::to_string(n))) != text(in("file0")) ? 1 : 0;
  EXPECT_EQ(mixed, 0);
  EXPECT_EQ(text(in("file0")).size(), 502U);
  EXPECT_EQ(files(), static_cast<std::size_t>(names)) << "no temporary file stays";
}

TEST_F(Output, FoldersThatNeedNotExistYet) {
  const auto failure_of = [](const std::string& folder) -> std::string {
    try {
      OutputFile::check_in(folder, "page");
    } catch (const FileError& e) { return e.what(); }
    return "";
  };
  EXPECT_EQ(failure_of(in("new/one")), "");
  EXPECT_EQ(failure_of(in("")), "");
  EXPECT_EQ(failure_of("new"), "");
  EXPECT_EQ(files(), 0U) << "nothing is made";
  put(in("a"), "x");
  EXPECT_EQ(failure_of(in("a")), in("a") + ": cannot be written: Not a directory");
  EXPECT_EQ(failure_of(in("a/b")), in("a/b") + ": cannot be written: Not a directory");
  fs::create_directories(in("taken/page"));
  EXPECT_EQ(failure_of(in("taken")), in("taken/page") + ": cannot be written: Is a directory");
}

TEST_F(Output, FilesThatAreTooLong) {
  put(in("a"), "12345");
  EXPECT_EQ(read_file(in("a"), 5), "12345");
  EXPECT_THROW(read_file(in("a"), 4), FileError);
}

/// MAT files of all kinds that Matlab and Octave write, read as columns.
#include <gtest/gtest.h>
#include <matio.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "bristle/output.hpp"
#include "bristle/trace.hpp"

using namespace bristle;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

class Mat : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("mat" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string in(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

matvar_t* matrix(const char* name, std::size_t rows, std::size_t columns, std::vector<double> values) {
  std::size_t dims[]{rows, columns};
  return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, values.data(), 0);
}
std::vector<double> ramp(std::size_t n, double slope) {
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = slope * static_cast<double>(i);
  return out;
}
void put(mat_t* file, matvar_t* v, matio_compression compression = MAT_COMPRESSION_NONE) {
  ASSERT_NE(v, nullptr);
  ASSERT_EQ(Mat_VarWrite(file, v, compression), 0);
  Mat_VarFree(v);
}

/// A column, a row, single precision, a matrix, a structure, and what is no column.
void write(const std::string& path, mat_ft version, matio_compression compression, std::size_t n = 20) {
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, version);
  ASSERT_NE(file, nullptr);
  put(file, matrix("t_s", n, 1, ramp(n, 0.1)), compression);
  put(file, matrix("x", 1, n, ramp(n, 2)), compression);
  std::vector<std::int16_t> counts(n, -7);
  std::size_t dims[]{n, 1};
  put(file, Mat_VarCreate("counts", MAT_C_INT16, MAT_T_INT16, 2, dims, counts.data(), 0), compression);
  std::vector<double> both = ramp(n, 1), second = ramp(n, -1);
  both.insert(both.end(), second.begin(), second.end());
  put(file, matrix("M", n, 2, both), compression);
  std::size_t one[]{1, 1};
  const char* names[]{"force", "t_s"};
  matvar_t* s = Mat_VarCreateStruct("rec", 2, one, names, 2);
  Mat_VarSetStructFieldByName(s, "force", 0, matrix(nullptr, n, 1, ramp(n, 5)));
  Mat_VarSetStructFieldByName(s, "t_s", 0, matrix(nullptr, n, 1, ramp(n, 0.2)));
  put(file, s, compression);
  put(file, matrix("gain", 1, 1, {3}), compression);
  put(file, matrix("short", 5, 1, ramp(5, 1)), compression);
  Mat_Close(file);
}

TEST_F(Mat, EveryVersionGivesTheSameColumns) {
  struct Kind {
    const char* name;
    mat_ft version;
    matio_compression compression;
  };
  for (const Kind& k :
       {Kind{"v5.mat", MAT_FT_MAT5, MAT_COMPRESSION_NONE}, Kind{"v7.mat", MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
        Kind{"v73.mat", MAT_FT_MAT73, MAT_COMPRESSION_NONE}}) {
    SCOPED_TRACE(k.name);
    write(in(k.name), k.version, k.compression);
    const TraceRead read = read_trace(in(k.name));
    ASSERT_TRUE(read.problems.empty()) << read.problems[0].line();
    Lines names = read.trace.names();
    std::sort(names.begin(), names.end());  // HDF5 sorts them by name
    EXPECT_EQ(names, (Lines{"M_1", "M_2", "counts", "force", "rec.t_s", "t_s", "x"}));
    EXPECT_EQ(read.trace.rows(), 20U);
    EXPECT_DOUBLE_EQ(read.trace.find("t_s")->values[3], 0.3);
    EXPECT_EQ(read.trace.find("x")->values[3], 6);
    EXPECT_EQ(read.trace.find("counts")->values[3], -7);
    EXPECT_EQ(read.trace.find("M_2")->values[3], -3);
    EXPECT_EQ(read.trace.find("force")->values[3], 15);
    ASSERT_EQ(read.notes.size(), 2U);
    EXPECT_NE(read.notes[1].find("gain (one value)"), std::string::npos) << read.notes[1];
    EXPECT_NE(read.notes[1].find("short (5 values)"), std::string::npos) << read.notes[1];
  }
}

TEST_F(Mat, LongOnesAreThinned) {
  write(in("long.mat"), MAT_FT_MAT5, MAT_COMPRESSION_ZLIB, 1000);
  const TraceRead read = read_trace(in("long.mat"), 300);
  ASSERT_TRUE(read.problems.empty());
  EXPECT_EQ(read.every, 4U);
  EXPECT_EQ(read.trace.rows(), 250U);
  EXPECT_EQ(read.trace.find("x")->values[1], 8);
}

TEST_F(Mat, BrokenFilesAreSaid) {
  write(in("a.mat"), MAT_FT_MAT5, MAT_COMPRESSION_ZLIB);
  const std::string whole = read_file(in("a.mat"), 100000);
  int whole_variables = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {  // never a crash, never numbers that are not there
    write_file(in("b.mat"), [&](std::ostream& o) { o << whole.substr(0, size); });
    const TraceRead read = read_trace(in("b.mat"));
    if (!read.problems.empty()) continue;
    ASSERT_EQ(read.trace.find("t_s")->values, ramp(20, 0.1)) << size;  // it ends where a variable ends
    ++whole_variables;
  }
  EXPECT_EQ(whole_variables, 6);
  write_file(in("text.mat"), [](std::ostream& o) { o << "t,x\n1,2\n"; });
  EXPECT_EQ(read_trace(in("text.mat")).problems.size(), 1U);
  EXPECT_EQ(read_trace(in("none.mat")).problems.at(0).line(),
            in("none.mat") + ": cannot be read: No such file or directory");
}

}  // namespace

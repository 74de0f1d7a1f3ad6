/// Recordings with one signal per file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <ostream>

#include "bristle/output.hpp"
#include "support/recording.hpp"

using namespace bristle;
using namespace bristle::identify;

namespace {

class Joined : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("joined" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string path = (folder / name).string();
    write_file(path, [&](std::ostream& out) { out << text; });
    return path;
  }
  /// f at n times from `begin` with this step; without a time if the name of the time is empty.
  static std::string signal(const std::string& time, double begin, double step, int n, double (*f)(double)) {
    std::string out = time.empty() ? "" : time + ",value\n";
    for (int i = 0; i < n; ++i) {
      const double t = begin + step * i;
      out += (time.empty() ? "" : to_text(t) + ",") + to_text(f(t)) + "\n";
    }
    return out;
  }
};
double way(double t) { return std::sin(6 * t); }
double pull(double t) { return std::cos(6 * t) + 2; }

TEST_F(Joined, RowByRow) {
  const std::string x = file("pos.txt", signal("", 0, 0.01, 100, way)),
                    u = file("torque.txt", signal("", 0, 0.01, 100, pull));
  const Read read = read_joined({x, u}, {.columns = {{"t", "row/100"}}});
  ASSERT_TRUE(read.problems.empty()) << all(read);
  EXPECT_NE(find(read, "t = row/100, x = pos, u = torque"), nullptr) << all(read);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(read.recording.u[i], pull(0.01 * static_cast<double>(i)));
  const std::string fewer = file("force.txt", signal("", 0, 0.01, 98, pull));
  EXPECT_TRUE(
      has(all(read_joined({x, fewer})),
          "force.txt: 98 rows, but pos.txt has 100; equal numbers of rows, or a time in each file, are required"));
}

TEST_F(Joined, OnTime) {
  const std::string x = file("pos.csv", signal("t", 0, 0.01, 100, way)),
                    u = file("torque.csv", signal("t_ms", -50, 2, 700, [](double t) { return pull(t / 1000); }));
  const Read missing = read_joined({x, u});
  EXPECT_TRUE(has(all(missing), "must both have a unit or none")) << all(missing);
  const std::string s = file("pos_s.csv", signal("t_s", 0, 0.01, 100, way));
  const Read read = read_joined({s, u}, {.columns = {{"x", "value"}, {"u", "\"torque value\""}}});
  ASSERT_TRUE(read.problems.empty()) << all(read);
  ASSERT_EQ(read.recording.size(), 496U);  // the times of the torque within 0 to 0.99 s
  for (std::size_t i = 0; i < 496; ++i) {
    EXPECT_NEAR(read.recording.u[i], pull(read.recording.t[i]), 1e-12);
    EXPECT_NEAR(read.recording.x[i], way(read.recording.t[i]), 1e-3);
  }
  EXPECT_NE(find(read, "pos_s.csv interpolated at the times of torque.csv"), nullptr) << all(read);
  const std::string late = file("late.csv", signal("t_s", 100, 0.01, 100, pull));
  EXPECT_TRUE(has(all(read_joined({s, late})), "its times do not overlap with those of"));
}

TEST_F(Joined, NamesFromFiles) {
  const std::string x = file("pos.txt", signal("", 0, 0.01, 100, way));
  std::string both;
  for (int i = 0; i < 100; ++i) both += to_text(0.01 * i) + " " + to_text(pull(0.01 * i)) + "\n";
  const Read read = read_joined({file("torque.txt", both), x});
  EXPECT_NE(find(read, "t = t, x = pos, u = torque"), nullptr) << all(read);
}

}  // namespace

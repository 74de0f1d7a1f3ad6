/// Recordings in JSON: the usual arrangements are read to the same columns.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bristle/trace.hpp"

using namespace bristle;

using Lines = std::vector<std::string>;

TEST(Json, ObjectsAndArrays) {
  const Lines want{"t", "x"};
  for (const std::string text :
       {R"([{"t":0,"x":1.5},{"t":1,"x":-2}])", R"({"t":[0,1],"x":[1.5,-2]})", R"({"data":{"t":[0,1],"x":[1.5,-2]}})",
        R"({"rate":1000,"name":"a","data":[{"t":0,"x":1.5},{"t":1,"x":-2}]})",
        "{\"t\":0,\"x\":1.5}\n{\"t\":1,\"x\":-2}\n", R"({"columns":["t","x"],"index":[0,1],"data":[[0,1.5],[1,-2]]})",
        R"([["t","x"],[0,1.5],[1,-2]])", R"({"t":{"0":0,"1":1},"x":{"0":1.5,"1":-2}})",
        R"({"0":{"t":0,"x":1.5},"1":{"t":1,"x":-2}})", R"({"runs":[{"t":[0,1],"x":[1.5,-2]}]})",
        R"([{"t":"0","x":"1.5"},{"t":"1","x":"-2"}])"}) {
    const TraceRead read = parse_json(text, "d.json");
    ASSERT_TRUE(read.problems.empty()) << text << read.problems[0].line();
    std::vector<const Column*> c;
    for (const std::string& name : want) c.push_back(read.trace.find(name));
    ASSERT_TRUE(c[0] && c[1]) << text << testing::PrintToString(read.trace.names());
    EXPECT_EQ(c[0]->values, (std::vector{0.0, 1.0})) << text;
    EXPECT_EQ(c[1]->values, (std::vector{1.5, -2.0})) << text;
  }
}

TEST(Json, NestedAndMissingValues) {
  const TraceRead read = parse_json(
      R"([{"h":{"s":1},"q":[1,2],"on":true,"m":"run"},{"h":{"s":2},"q":[3,null],"m":"stop"},{"q":[NaN,5]}])", "d.json");
  ASSERT_TRUE(read.problems.empty()) << read.problems[0].line();
  EXPECT_EQ(read.trace.names(), (Lines{"s", "q[0]", "q[1]", "on"}));
  EXPECT_EQ(read.trace.rows(), 3U);
  EXPECT_TRUE(std::isnan(read.trace.columns[0].values[2]) && std::isnan(read.trace.columns[2].values[1]));
  EXPECT_EQ(read.notes, Lines{"columns of text skipped: m"});
  EXPECT_EQ(parse_json(R"({"units":{"x":"mm"},"x":[1,2]})", "").trace.columns[0].unit, "mm");
  EXPECT_EQ(parse_json(R"({"x":[1,2,3,4,5],"y":[1,2,3,4,5],"z":[1]})", "", 3).trace.columns[0].values,
            (std::vector{1.0, 3.0, 5.0}));
}

TEST(Json, MistakesAreReportedWithTheirLine) {
  for (const auto& [text, line] :
       {std::pair{"[{\"t\":0,\n\"x\":1.5.2}]", "d.json:2: '1.5.2' is not a value; JSON is required"},
        {"[1,2", "d.json:1: ends too early; JSON is required"},
        {"{\"t\" 1}", "d.json:1: a key in quotes and a colon are required; JSON is required"},
        {"[1 2]", "d.json:1: a comma is required; JSON is required"},
        {"[1,2}", "d.json:1: unexpected '}'; JSON is required"},
        {"{}", "d.json: contains no arrays of numbers; an array of objects or an object of "
               "arrays is required"}}) {
    const TraceRead read = parse_json(text, "d.json");
    ASSERT_EQ(read.problems.size(), 1U) << text;
    EXPECT_EQ(read.problems[0].line(), line);
  }
  EXPECT_FALSE(parse_json(std::string(100000, '['), "d.json").problems.empty());
}

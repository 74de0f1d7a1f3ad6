/// The same recording in many formats is read to the same columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bristle/trace.hpp"
#include "trace/shared/units.hpp"

using namespace bristle;

namespace {

using Lines = std::vector<std::string>;
using Numbers = std::vector<std::vector<double>>;  // rows

std::string number(double x) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + 32, x, std::chars_format::fixed).ptr};
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// How a table is written.
struct Style {
  std::string separator = ",";
  char mark = '.';
  std::string end = "\n";
  std::string before{}, after{};          // lines around the table
  std::string units = " [u]";             // "u" is replaced by the unit; empty: no units; "line", "bare line", "above"
  std::string end_of_row{};               // separators at the end of each row
  bool header = true, comment = false;    // comment: the header begins with #
  bool index = false, index_name = true;  // a first column that counts the rows
  bool quoted = false, text = false;      // text: a column of words
  std::size_t repeat = 0;                 // the header again after these rows
  std::size_t names = 3;                  // columns
};
const Lines names{"time", "pos", "torque"}, units{"s", "mm", "Nm"};

std::string join(Lines cells, const Style& s, std::size_t row) {
  if (s.text) cells.push_back(row == 0 ? "mode" : row % 2 == 0 ? "run" : "stop");
  if (s.index && (row > 0 || s.index_name)) cells.insert(cells.begin(), row == 0 ? "" : std::to_string(row - 1));
  std::string out;
  for (const std::string& c : cells) {
    if (&c != cells.data()) out += s.separator;
    out += s.quoted ? "\"" + c + "\"" : c;
  }
  return out + s.end_of_row;
}
std::string written(const Numbers& table, const Style& s) {
  std::string head;
  if (s.header) {
    Lines cells(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(s.names)), below = cells;
    const bool line = s.units == "line" || s.units == "bare line" || s.units == "above";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      below[i] = s.units == "line" ? "[" + units[i] + "]" : units[i];
      if (!line) cells[i] += replaced(s.units, "u", units[i]);
    }
    Style unit = s;
    unit.text = false;
    if (s.text) below.emplace_back();
    head = (s.comment ? "# " : "") + join(cells, s, 0) + "\n";
    if (line) {
      const std::string second = (s.comment ? "# " : "") + join(below, unit, 0) + "\n";
      head = s.units == "above" ? second + head : head + second;
    }
  }
  std::string out = s.before + head;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (s.repeat > 0 && i > 0 && i % s.repeat == 0) out += head;
    Lines cells;
    for (std::size_t c = 0; c < s.names; ++c) {
      cells.push_back(number(table[i][c]));
      std::replace(cells.back().begin(), cells.back().end(), '.', s.mark);
    }
    out += join(cells, s, i + 1) + "\n";
  }
  return replaced(out + s.after, "\n", s.end);
}

Numbers recording(std::size_t rows, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Numbers out;
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = 0.001 * static_cast<double>(i);
    out.push_back({t, 10 * std::sin(6 * t) + 1e-3 * normal(random), 2 * std::cos(6 * t) + 0.1 * normal(random)});
  }
  return out;
}

/// Names, units and numbers of the columns; `named`: the file has a header.
void expect_same(const TraceRead& read, const Numbers& table, const Style& s, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_TRUE(read.problems.empty()) << read.problems[0].line();
  std::vector<const Column*> columns;
  for (const Column& c : read.trace.columns) columns.push_back(&c);
  if (s.index) columns.erase(columns.begin());
  ASSERT_EQ(columns.size(), s.names);
  ASSERT_EQ(read.trace.rows(), table.size());
  for (std::size_t c = 0; c < s.names; ++c) {
    if (s.header) {
      const identify::Header h = identify::header_of(*columns[c]);
      EXPECT_EQ(h.base, names[c]);
      EXPECT_EQ(h.unit.quantity,
                s.units.empty() ? identify::Quantity::unknown : identify::find_unit(units[c])->quantity);
    }
    EXPECT_EQ(columns[c]->place, c + 1 + (s.index ? 1 : 0));
    for (std::size_t i = 0; i < table.size(); ++i) ASSERT_EQ(columns[c]->values[i], table[i][c]) << i;
  }
}

std::string utf16(const std::string& text, bool little, bool mark) {
  std::string out = mark ? (little ? "\xFF\xFE" : "\xFE\xFF") : "";
  for (const char c : text) {
    if (little) out += c;
    out += '\0';
    if (!little) out += c;
  }
  return out;
}

struct Format {
  const char* name;
  Style style{};
};
const std::string vendor =
    "Company Test Bench V2.1\nOperator: Jane Doe\nDate: 2024-03-01\nSample rate: 1000 Hz\nChannels: 3\n\n"
    "Remark: \"slow, first run\"\n\n";

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {"plain"},
      {"no units", {.units = ""}},
      {"semicolons", {.separator = ";"}},
      {"tabs", {.separator = "\t"}},
      {"bars", {.separator = "|"}},
      {"blanks", {.separator = " ", .units = "_u"}},
      {"aligned blanks", {.separator = "    ", .units = " (u)"}},
      {"units with blanks before them", {.separator = " "}},
      {"comma and blank", {.separator = ", "}},
      {"decimal commas", {.separator = ";", .mark = ','}},
      {"decimal commas, tabs", {.separator = "\t", .mark = ','}},
      {"quoted decimal commas", {.mark = ',', .quoted = true}},
      {"quoted", {.quoted = true}},
      {"quoted blanks", {.separator = " ", .quoted = true}},
      {"CRLF", {.end = "\r\n"}},
      {"CR", {.end = "\r"}},
      {"round brackets", {.units = " (u)"}},
      {"slash", {.units = "/u"}},
      {"comma unit", {.separator = ";", .units = ", u"}},
      {"unit line", {.units = "line"}},
      {"bare unit line", {.separator = ";", .units = "bare line"}},
      {"units above names", {.separator = ";", .units = "above"}},
      {"trailing separators", {.separator = ";", .end_of_row = ";"}},
      {"many trailing separators", {.separator = ";", .end_of_row = ";;;"}},
      {"markdown", {.separator = " | ", .before = "# Result\n", .units = " [u]"}},
      {"vendor preamble", {.separator = ";", .before = vendor}},
      {"vendor preamble with semicolons",
       {.separator = ";", .before = "Bench;3\nOperator;Jane;Doe\nGain;2;5;7\nRate;1000\nMass;2.5\n;;\n\n"}},
      {"long preamble",
       {.separator = "\t",
        .before =
            [] {
              std::string out;
              for (int i = 0; i < 300; ++i) out += "Channel " + std::to_string(i) + "\t" + std::to_string(i * 7) + "\n";
              return out;
            }()}},
      {"sections", {.before = "[Header]\nRate=1000\nName=a, b\n[Data]\n", .after = "[End]\n"}},
      {"rules", {.separator = ";", .before = "Report\n======\n\n--------------\n", .after = "--------------\nend\n"}},
      {"end of header",
       {.separator = "\t", .before = "LabVIEW Measurement\t\nWriter_Version\t2\n***End_of_Header***\t\n"}},
      {"numpy", {.separator = " ", .units = "_u", .comment = true}},
      {"commented names and units", {.separator = ",", .units = "bare line", .comment = true}},
      {"commented preamble", {.before = "% made by a logger\n% 1000 Hz\n"}},
      {"no header", {.header = false}},
      {"no header, preamble", {.separator = "\t", .before = "Measured on a bench, in the morning\n", .header = false}},
      {"index", {.index = true}},
      {"index without a cell in the header", {.separator = " ", .units = "_u", .index = true, .index_name = false}},
      {"text column", {.text = true}},
      {"repeated header", {.repeat = 100}},
      {"repeated header and units", {.separator = ";", .units = "line", .repeat = 50}},
      {"footer", {.after = "\nTest finished at 12:30\nMean,0.5,0.25\n"}},
      {"statistics after the rows", {.separator = ";", .after = "\nMin;0;-10;-2\nMax;1;10;2\n"}},
      {"prose of as many words", {.separator = " ", .before = "my test run\n", .units = "_u"}},
      {"line end in the header", {.separator = ";", .before = "\"Kunde\nMeier\";x\n"}},
      {"one column", {.units = "_u", .names = 1}},
      {"one column with decimal commas", {.mark = ',', .units = "_u", .names = 1}},
      {"two columns", {.names = 2}},
  };
  return all;
}

}  // namespace

TEST(Formats, TheSameRecording) {
  const Numbers table = recording(400);
  for (const Format& f : formats()) expect_same(parse_csv(written(table, f.style), "d.csv"), table, f.style, f.name);
  const Numbers few = recording(20);
  for (const Format& f : formats()) {
    if (f.style.repeat == 0) expect_same(parse_csv(written(few, f.style), "d.csv"), few, f.style, f.name);
  }
}

TEST(Formats, Encodings) {
  const Numbers table = recording(50);
  const Style s;
  const std::string text = written(table, s);
  expect_same(parse_csv("\xEF\xBB\xBF" + text, ""), table, s, "UTF-8 with a mark");
  for (const bool little : {true, false}) {
    expect_same(parse_csv(utf16(text, little, true), ""), table, s, "UTF-16");
    expect_same(parse_csv(utf16(text, little, false), ""), table, s, "UTF-16 without a mark");
  }
  const TraceRead latin = parse_csv("Zeit;Dr\xFC"
                                    "cke;T [\xB0"
                                    "C]\n1;2;3\n2;3;4\n",
                                    "");
  EXPECT_EQ(latin.trace.names(), (Lines{"Zeit",
                                        "Dr\xC3\xBC"
                                        "cke",
                                        "T [\xC2\xB0"
                                        "C]"}));
}

/// Every combination of independent properties of a format.
TEST(Formats, RandomTablesInRandomFormats) {
  std::mt19937_64 random(5);
  const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
  const std::string separators[]{",", ";", "\t", "|", " ", "  ", ", "}, ends[]{"\n", "\r\n", "\r"},
      befores[]{"", vendor, "[Setup]\nk = 5\n\n[Data]\n", "Title\n=====\n", "Operator;X;Y\n", "\n\n"},
      afters[]{"", "End\n", "\n\n[Footer]\nn = 5\n"}, unit_styles[]{"", " [u]", "_u", "line", "bare line", "/u"};
  for (int k = 0; k < 400; ++k) {
    Style s{.separator = one_of(separators),
            .end = one_of(ends),
            .before = one_of(befores),
            .after = one_of(afters),
            .units = one_of(unit_styles)};
    const bool commas = s.separator[0] == ',', blanks = s.separator[0] == ' ';
    s.mark = !commas && random() % 2 == 0 ? ',' : '.';
    s.quoted = random() % 4 == 0;
    s.text = random() % 4 == 0 && !(blanks && s.units.ends_with("line"));  // a missing unit is no cell
    s.index = random() % 4 == 0 && !blanks;
    s.comment = random() % 5 == 0 && !s.quoted && s.before.empty();
    s.names = 2 + random() % 2;
    if (!blanks && random() % 4 == 0) s.end_of_row = s.separator;
    const Numbers table = recording(10 + random() % 90, static_cast<unsigned>(k));
    expect_same(parse_csv(written(table, s), "d.csv"), table, s, written(table, s).substr(0, 300));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Formats, OfSeveralTablesTheLongestIsRead) {
  const Numbers table = recording(100);
  const std::string small = "gain;offset\n1;2\n2;3\n3;4\n\n";
  for (const std::string& text :
       {small + written(table, {.separator = ";"}), written(table, {.separator = ";"}) + "\n" + small,
        small + written(table, {.separator = ";"}) + "\nSummary\n" + small})
    expect_same(parse_csv(text, "d.csv"), table, {.separator = ";"}, text.substr(0, 100));
  const TraceRead read = parse_csv(written(table, {.separator = ";"}) + "\n" + small, "d.csv");
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_EQ(read.notes[0], "2 tables: read are 100 rows from line 2, not 3 rows from line 104");
}

TEST(Formats, LinesCanBeSkipped) {
  const Numbers table = recording(30);
  const std::string first = "a,b,c\n1,2,3\n2,3,4\n";
  expect_same(parse_csv(first + written(table, {}), "d.csv", 0, {.skip = 3}), table, {}, "skip");
  EXPECT_EQ(parse_csv("t,x\n1,2\n", "d.csv", 0, {.skip = 2}).problems.at(0).line(),
            "d.csv: has 2 lines, all of them skipped by --skip 2");
  EXPECT_EQ(parse_csv("x\nt,x\n1,2\n1,b\n", "d.csv", 0, {.skip = 1}).problems.at(0).line(),
            "d.csv:4: 'b' in column x must be a number");
}

TEST(Formats, ThousandsAreRefused) {
  const auto problem = [](const std::string& text) {
    const TraceRead read = parse_csv(text, "d.csv");
    return read.problems.empty() ? "" : read.problems[0].line();
  };
  const std::string refused = " may contain a separator of thousands or a decimal mark; numbers without separators of "
                              "thousands and with one decimal mark are accepted";
  EXPECT_EQ(problem("t;x\n0.5;1,234\n1.5;2,345\n"), "d.csv:2: '1,234'" + refused);
  EXPECT_EQ(problem("t;x\n0,5;1.234\n1,5;2.345\n"), "d.csv:2: '1.234'" + refused);
  EXPECT_EQ(problem("t;x\n1;1,234\n2;2,345\n"), "d.csv:2: '1,234'" + refused);
  EXPECT_EQ(problem("t,x\n0.5,\"1,234\"\n1.5,\"2,345\"\n"), "d.csv:2: '1,234'" + refused);
  EXPECT_EQ(problem("t;x\n0,5;1,234\n1,5;2,345\n"), "");
  EXPECT_EQ(problem("t;x\n0.5;1.234\n1.5;2.345\n"), "");
  EXPECT_EQ(problem("t;x\n0.5;1\n1.5;1,234.5\n"), "d.csv:3: '1,234.5' in column x must be a number");
  EXPECT_EQ(problem("t;x\n0.5;1\n1.5;1 234\n"), "d.csv:3: '1 234' in column x must be a number");
}

TEST(Formats, TheLastLineMayBeCut) {
  const TraceRead read = parse_csv("t,x,F\n1,2,3\n2,3,4\n3,", "d.csv");
  ASSERT_TRUE(read.problems.empty());
  EXPECT_EQ(read.trace.rows(), 2U);
  EXPECT_EQ(read.notes, Lines{"line 4 is incomplete: skipped"});
}

TEST(Formats, RemarksOnSingleRowsAreSkipped) {
  std::string text = "t,x,event\n";
  for (int i = 0; i < 200; ++i) text += std::to_string(i) + ",1," + (i == 150 ? "start" : "") + "\n";
  const TraceRead read = parse_csv(text, "d.csv");
  ASSERT_TRUE(read.problems.empty()) << read.problems[0].line();
  EXPECT_EQ(read.trace.names(), (Lines{"t", "x"}));
  EXPECT_EQ(read.trace.rows(), 200U);
}

TEST(Formats, TheHeaderIsNamed) {
  EXPECT_EQ(parse_csv("Bench 3\nt,x\n1,2\n1,b\n", "d.csv").header, "line 2 is taken for the header (t, x)");
  EXPECT_EQ(parse_csv("1,2\n3,4\n", "d.csv").header, "no header above line 1");
}

/// Nanoseconds since 1970 have more digits than a double.
TEST(Formats, LongTimesKeepTheirDigits) {
  for (const auto& [scale, text] : {std::pair{1e-9, "t,x\n1700000000123456789,1\n1700000000123456790,2\n"},
                                    {1.0, "t,x\n1700000000.123456789,1\n1700000000.123456790,2\n"}}) {
    const TraceRead read = parse_csv(text, "d.csv", 0, {.relative = true});
    const Column& t = read.trace.columns[0];
    EXPECT_NEAR(t.origin * scale, 1700000000.123456789, 1e-6);
    EXPECT_EQ(t.values[0], 0);
    EXPECT_NEAR(t.values[1] * scale, 1e-9, 1e-21);
    EXPECT_EQ(read.trace.columns[1].origin, 0);
    EXPECT_EQ(parse_csv(text, "d.csv").trace.columns[0].origin, 0);
  }
}

/// Changes from the command line, unreadable files, and unusual input.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/scenario.hpp"

using namespace bristle;

namespace {

const std::string two =
    with(stick_slip, "[friction]\n",
         "[[friction]]\nname = \"rear\"\nmodel = \"coulomb\"\nFc = 2\n[[friction]]\nname = \"front\"\n");
const std::string sum =
    with(stick_slip, "kind = \"ramp\"\nvelocity = 0.1\n",
         "kind = \"sum\"\nterms = [{ kind = \"constant\", value = 1 }, { kind = \"ramp\", velocity = 2 }]\n");
const std::string gms =
    with(stick_slip, "model = \"lugre\"\nFc = 1.0\nFs = 1.5\nvs = 0.001\nsigma0 = 1e5\nsigma1 = 316.2\n",
         "model = \"gms\"\nFc = 1\nFs = 1.5\nvs = 0.001\nk = [4e4, 3e4]\nnu = [0.4, 0.6]\nC = 100\n");

std::string repeated(const std::string& piece, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += piece;
  return out;
}

}  // namespace

TEST(Set, ChangesAndCreates) {
  EXPECT_EQ(parameter(*good(stick_slip, {"friction.Fc=1.25"}).experiment.contacts[0].contact, "Fc"), 1.25);
  EXPECT_EQ(parameter(*good(stick_slip, {"friction.kv=0.4"}).experiment.contacts[0].contact, "kv"), 0.4);
  EXPECT_EQ(good(stick_slip, {"title=A plain word"}).title, "A plain word");
  EXPECT_EQ(good(stick_slip, {"title=\"1\""}).title, "1");
  EXPECT_EQ(good(stick_slip, {" system.x0 = 3 "}).experiment.body.x0, 3);
  EXPECT_EQ(good(stick_slip, {"friction.initial.z=1e-6"}).experiment.contacts[0].contact->states()[0].value, 1e-6);
  EXPECT_EQ(good(stick_slip, {"system.v0=1", "system.v0=2"}).experiment.body.v0, 2) << "the later one wins";
  EXPECT_EQ(good(stick_slip, {"load={kind = \"constant\", value = 2}"}).experiment.load->at(0).value, 2);
  EXPECT_EQ(good(stick_slip, {"expect.\"x(0.5)\".max=2"}).expectations.at(0).argument, 0.5);
  EXPECT_EQ(good(stick_slip, {"expect.'max(F)'={value=1,abs=1}"}).expectations.at(0).of, "F");
}

TEST(Set, ReachesIntoArrays) {
  for (const std::string which : {"1", "front"}) {
    const Scenario s = good(two, {"friction." + which + ".Fc=1.25"});
    EXPECT_EQ(parameter(*s.experiment.contacts[1].contact, "Fc"), 1.25);
    EXPECT_EQ(parameter(*s.experiment.contacts[0].contact, "Fc"), 2);
  }
  EXPECT_EQ(good(sum, {"drive.terms.1.velocity=5"}).experiment.drive.at(1).value, 6);
  const Scenario s = good(gms, {"friction.k.1=7e4"});
  EXPECT_EQ(parameter(*s.experiment.contacts[0].contact, "k1"), 4e4);
  EXPECT_EQ(parameter(*s.experiment.contacts[0].contact, "k2"), 7e4);
}

TEST(Set, MistakesNameTheOption) {
  EXPECT_EQ(problems(stick_slip, {"friction.Fc=-1"}), Lines{"--set friction.Fc: Fc = -1 N must be > 0"});
  EXPECT_EQ(problems(stick_slip, {"friction.sigma_0=1"}),
            Lines{"--set friction.sigma_0: unknown key 'sigma_0' in [friction], did you mean 'sigma0'?"});
  EXPECT_EQ(problems(stick_slip, {"frction.Fc=1"}),
            Lines{"--set frction.Fc: unknown section 'frction', did you mean 'friction'?"});
  EXPECT_EQ(problems(stick_slip, {"friction.Fc=1 2"}), Lines{"--set friction.Fc: Fc = \"1 2\" must be a number in N"});
  EXPECT_EQ(problems(stick_slip, {"friction.Fc=1\nx=2"}),
            Lines{"--set friction.Fc: Fc = \"1?x=2\" must be a number in N"});
  EXPECT_EQ(problems(stick_slip, {"load={kind = 3}"}).at(0).substr(0, 12), "--set load: ");
  for (const std::string wrong : {"friction", "=3", "a..b=3", ".a=3", "a.=3", "\"a=3", "\"a\"b=3"}) {
    EXPECT_EQ(problems(stick_slip, {wrong}), Lines{"--set " + wrong + ": must be KEY=VALUE, such as friction.Fc=1.2"});
  }
  EXPECT_EQ(problems(stick_slip, {repeated("a.", 100000) + "a=3"}).size(), 1U);
  EXPECT_EQ(problems(two, {"friction.2.Fc=3"}),
            Lines{"--set friction.2.Fc: there is no '2' among these 2: give a name, or an index from 0"});
  EXPECT_EQ(problems(two, {"friction.Fc=3"}),
            Lines{"--set friction.Fc: there is no 'Fc' among these 2: give a name, or an index from 0"});
  EXPECT_EQ(problems(gms, {"friction.k.2=3"}),
            Lines{"--set friction.k.2: must be an index from 0 below 2, and a number"});
  EXPECT_EQ(problems(stick_slip, {"friction.Fc.x=3"}),
            Lines{"--set friction.Fc.x: 'x' belongs to 1, which is no section"});
}

TEST(Input, FilesThatCannotBeRead) {
  auto said = [](const std::string& path) { return lines(load_scenario(path).problems); };
  EXPECT_EQ(said("none.toml"), Lines{"none.toml: cannot be read: No such file or directory"});
  EXPECT_EQ(said("."), Lines{".: cannot be read: Is a directory"});
  EXPECT_EQ(said("/dev/zero"), Lines{"/dev/zero: is too long: more than 16 MiB"});
  EXPECT_EQ(said("/dev/null").size(), 3U) << "an empty file lacks its sections";
}

TEST(Input, HugeAndDeepIsRefusedInOneLine) {
  auto one = [](const std::string& text) {
    const Lines said = problems(text);
    EXPECT_EQ(said.size(), 1U) << text.substr(0, 40);
    return said.empty() ? "" : said[0];
  };
  EXPECT_EQ(one("\n" + repeated("a.", 200000) + "b = 1"), "s.toml:2: a key has more than 16 dots");
  EXPECT_EQ(one("[" + repeated("a.", 200000) + "b]"), "s.toml:1: a key has more than 16 dots");
  EXPECT_EQ(one(repeated("\"a\" . ", 200000) + "b = 1"), "s.toml:1: a key has more than 16 dots");
  EXPECT_NE(one("a = " + repeated("[", 200000)).find("nested"), std::string::npos);
  EXPECT_NE(one("a = " + repeated("{a=", 200000)).find("nested"), std::string::npos);
  EXPECT_EQ(one("a = [" + repeated("{},", 60000) + "]"), "s.toml:1: more than 50000 values");
  std::ostringstream keys;
  for (int i = 0; i < 2000; ++i) keys << "a" << i << " = 1\n";
  EXPECT_EQ(one(keys.str()), "s.toml:1: more than 1000 keys in one section");
  EXPECT_NE(one(std::string("a = 1\0\n", 7)).find("s.toml:1: "), std::string::npos);
}

TEST(Input, DotsThatAreNoKey) {
  const std::string dots = repeated(".", 100);
  EXPECT_EQ(good("# " + dots + "\n" + with(stick_slip, "\"Stick-slip\"", "\"a\\\"" + dots + "\" # '" + dots)).title,
            "a\"" + dots);
  EXPECT_EQ(good(with(stick_slip, "\"Stick-slip\"", "'" + dots + "'")).title, dots);
  EXPECT_EQ(good(with(stick_slip, "\"Stick-slip\"", "\"\"\"\n\"" + dots + "\n\"\"\"")).title, "\"" + dots + "\n");
  EXPECT_EQ(good(with(stick_slip, "\"Stick-slip\"", "'''" + dots + "''' # \"")).title, dots);
  // Up to two quotes before the closing three belong to the string.
  const Scenario s =
      good(stick_slip + "[[figure]]\ny = [\"x\", \"v\"]\nlegend = [\"\"\"a\"\"\"\", \"\"\"b (c)\"\"\"]\n");
  EXPECT_EQ(s.figures.at(0).legend, (Lines{"a\"", "b (c)"}));
}

TEST(Input, CharactersThatNoTomlHas) {
  EXPECT_EQ(problems("[expect]\nmax(F) = { max = 1 }\n"),
            Lines{"s.toml:2: '(' may stand in quotes and in comments only"});
  EXPECT_EQ(problems("\xC2\xB5 = 0.1\n"), Lines{"s.toml:1: '\xC2\xB5' may stand in quotes and in comments only"});
  EXPECT_EQ(problems("a = '''\n\n'''\n[`b]\n"), Lines{"s.toml:4: '`' may stand in quotes and in comments only"});
  EXPECT_EQ(problems("a = 1979-05-27Tx\n").size(), 1U);
  EXPECT_EQ(good("\xEF\xBB\xBF# \xC2\xB5 (\n" + with(stick_slip, "\"Stick-slip\"", "\"\xC2\xB5 (\"")).title,
            "\xC2\xB5 (");
}

TEST(Input, CharactersBeyondAsciiArriveUnchanged) {
  const std::string text = "\xC2\xB5 @40 \xE2\x82\xAC \xF0\x9F\x99\x82 @";
  EXPECT_EQ(good(with(stick_slip, "\"Stick-slip\"", "\"" + text + "\"")).title, text);
  EXPECT_EQ(good(with(stick_slip, "\"Stick-slip\"", "\"\"\"\\\n " + text + "\"\"\"")).title, text);
  EXPECT_EQ(problems("\"" + text + "\" = 1\n")[0].substr(0, 24 + text.size()), "s.toml:1: unknown key '" + text + "'");
  EXPECT_EQ(problems("'" + text + "' = 1\n'" + text + "' = 2\n").size(), 1U);
  EXPECT_NE(problems("'" + text + "' = 1\n'" + text + "' = 2\n")[0].find(text), std::string::npos);
  EXPECT_EQ(good(with(stick_slip, "\"Stick-slip\"", "\"\\u00B5 \\\\u0040\"")).title, "\xC2\xB5 \\u0040");
  EXPECT_EQ(problems("a = \"\\u0040\"\n"), Lines{"s.toml:1: write @ for \\u0040"});
  for (const std::string bad :
       {"\xFF", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\x80"}) {
    EXPECT_EQ(problems("\n# " + bad + "\n"), Lines{"s.toml:2: this is no UTF-8 text"});
  }
}

TEST(Input, MessagesStayShort) {
  const Lines said = problems(with(stick_slip, "Fc = 1.0", "Fc = \"" + repeated("\xC3\xA4", 100000) + "\""));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_LT(said[0].size(), 700U);
  EXPECT_NE(said[0].find("must be a number in N"), std::string::npos);
}

/// Inputs found by the fuzzer: no crash, no hang, and a message if there is no scenario.
TEST(Input, Corpus) {
  const auto corpus = std::filesystem::path(__FILE__).parent_path() / "fuzz" / "corpus";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const Loaded loaded = read_scenario(text.str(), "s.toml");
    EXPECT_EQ(loaded.scenario.has_value(), loaded.problems.empty()) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 5);
}

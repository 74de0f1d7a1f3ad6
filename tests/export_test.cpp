#include "bristle/export.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "bristle/registry/describe.hpp"
#include "export/joint.hpp"
#include "export/sha256.hpp"

namespace bristle::exports {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string file(const std::string& text, const std::string& name = "block.toml") {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("bristle_export_" + std::to_string(::getpid()));
};

const std::string lugre =
    "[friction]\nmodel = \"lugre\"\nFc = 1\nFs = 1.5\nvs = 0.01\nsigma0 = 1e5\nsigma1 = 10\nkv = 0.4\n";

TEST(Sha256, GivesTheNumbersOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_F(Files, EqualBlocksHaveEqualTextsWhateverTheFile) {
  const Block a = *load_block(file(lugre)).block;
  const Block b =
      *load_block(
           file(
               "title = \"other\"\n# comment\n[friction]\nkv = 0.40\nsigma1 = 10.0\nsigma0 = 100000\nvs = 1e-2\n"
               "Fs = 1.5\nFc = 1.0\nalpha = 2\nmodel = \"lugre\"\n[friction.effects]\noffset = 0\n[friction.initial]\nz = 0\n"))
           .block;
  EXPECT_EQ(a.canonical, b.canonical);
  EXPECT_EQ(a.sha256, b.sha256);
  const Block c = *load_block(file(lugre), {"friction.Fc=1.0000000000000002"}).block;
  EXPECT_NE(a.sha256, c.sha256);
  const Block d = *load_block(file(lugre), {"friction.effects.offset=1e-9"}).block;
  EXPECT_NE(a.sha256, d.sha256);
  const Block zero =
      *load_block(file(lugre), {"friction.kv=0", "friction.effects.offset=0", "friction.initial.z=0"}).block;
  const Block minus =
      *load_block(file(lugre), {"friction.kv=-0.0", "friction.effects.offset=-0.0", "friction.initial.z=-0.0"}).block;
  EXPECT_EQ(zero.canonical, minus.canonical);
  EXPECT_EQ(zero.canonical.find("-0"), std::string::npos);
  const Block e = *load_block(file(lugre), {"friction.effects.offset=-0.5", "friction.effects.curve_x=[-0.5, 0, 1e-07]",
                                            "friction.effects.curve_F=[-0.0, -0.01, -1]"})
                       .block;
  EXPECT_NE(e.canonical.find("[0, -0.01, -1]"), std::string::npos) << e.canonical;
  EXPECT_NE(e.canonical.find("[-0.5, 0, 1e-07]"), std::string::npos) << e.canonical;
}

TEST_F(Files, EveryModelIsReadBackFromItsCanonicalText) {
  for (const ModelInfo& info : model_infos()) {
    Table typical;
    for (const FieldInfo& f : info.parameters) {
      if (f.required) typical.push_back({f.name, f.value});
    }
    Made made = make(info.name, typical, {{"asymmetry", 0.1}});
    ASSERT_TRUE(made.contact) << info.name;
    const Block block = block_of(std::move(made.contact));
    const Made again = deserialise(block.canonical);
    ASSERT_TRUE(again.contact) << info.name << ": " << again.problems.front().text;
    EXPECT_EQ(block_of(again.contact->clone()).sha256, block.sha256) << info.name;
  }
}

/// The kind mujoco requires the name of a joint.
Options with_joint(const Kind& kind) {
  Options options;
  if (std::string(kind.name) == "mujoco") options.joint = "elbow";
  return options;
}

TEST_F(Files, RefusalsNameTheirReason) {
  auto reason = [&](const std::string& text, const char* kind, const Options& options = {}) {
    BlockRead read = load_block(file(text));
    if (!read.block) return read.problems.front().text;
    const Exported out = write(*find_kind(kind), *read.block, options);
    return out.problems.empty() ? std::string() : out.problems.front().text;
  };
  for (const char* population : {"gfm", "generic2010"}) {
    Table typical;
    for (const FieldInfo& f : find_model(population)->parameters) {
      if (f.required) typical.push_back({f.name, f.value});
    }
    Made made = make(population, typical);
    ASSERT_TRUE(made.contact) << population;
    EXPECT_NE(refusal(block_of(std::move(made.contact))).find("population"), std::string::npos);
  }
  EXPECT_NE(reason(lugre + "[friction.effects]\nnoise = 0.1\n", "c").find("random"), std::string::npos);
  EXPECT_NE(reason("[system]\nkind = \"slider\"\n", "c").find("[friction]"), std::string::npos);
  EXPECT_NE(
      reason("[friction]\nmodel = \"rate_state\"\nmu0=0.6\na=0.01\nb=0.015\nDc=1e-5\nV0=1e-6\nnormal_load=1\n", "c"),
      "");
  EXPECT_NE(reason(lugre + "[friction.effects]\ncurve_x = [0, 1]\ncurve_F = [0, 1]\n", "c").find("curve_F"),
            std::string::npos);
  EXPECT_NE(reason(lugre + "[friction.negative]\nalpha = 1.5\n", "c").find("negative.alpha"), std::string::npos);
  const std::string leuven = "[friction]\nmodel = \"leuven\"\nFc=1\nFs=1.5\nvs=0.01\nk=[1e4]\nW=[1.5]\nn=1\n";
  EXPECT_EQ(reason(leuven + "[friction.negative]\nFc = 0.9\n", "c"), "");
  EXPECT_NE(reason(leuven + "[friction.negative]\nn = 3\n", "c").find("negative.n"), std::string::npos);
  EXPECT_NE(reason(lugre + "vd = 0.5\n[friction.negative]\nvd = inf\n", "c").find("negative.vd"), std::string::npos);
  EXPECT_NE(reason(lugre, "c", {.version = 2}).find("--version"), std::string::npos);
  EXPECT_NE(reason(lugre, "mjcf", {.range = "1:0"}).find("range"), std::string::npos);
  EXPECT_EQ(reason(lugre, "c"), "");
  for (const Kind& k : kinds()) {
    if (k.text) { EXPECT_EQ(reason(lugre, k.name, with_joint(k)), "") << k.name; }
  }
}

TEST_F(Files, JointNumbersAreTheLeastSquaresOfTheSteadyCurve) {
  const Block block = *load_block(file(lugre)).block;
  const JointFit fit = fit_joint(block.contact(), 0, 0.5);
  // In closed form, with the bump (Fs - Fc) exp(-(v/vs)^2) of area A and first moment M in front of the range L:
  const double A = 0.5 * 0.01 * std::sqrt(std::acos(-1.0)) / 2, M = 0.5 * 1e-4 / 2, L = 0.5;
  EXPECT_NEAR(fit.frictionloss, 1 + 4 * A / L - 6 * M / (L * L), 1e-5);
  EXPECT_NEAR(fit.damping, 0.4 - 6 * A / (L * L) + 12 * M / (L * L * L), 1e-4);
  EXPECT_NEAR(fit.frictionloss, 1.035, 1e-3);
  EXPECT_NEAR(fit.damping, 0.297, 2e-3);
  EXPECT_NEAR(fit.worst / 1.5, 0.31, 0.005);
}

/// The force that holds a set-valued law at rest is not on its steady curve: the error at rest counts it.
TEST_F(Files, SteadyCurvesAreThereWhereSlidingIsReachedSlowly) {
  Made slow = make("dahl", {{"Fc", 1.5}, {"sigma0", 1e4}, {"i", 3.9}, {"kv", 2.0}});
  EXPECT_NEAR(fit_joint(*slow.contact, 0, 0.5).damping, 2, 1e-9);
  Made never = make("bouc_wen", {{"Fc", 1.5}, {"sigma0", 1e4}, {"n", 1.0}, {"beta", 0.6}, {"ke", 3.0}});
  EXPECT_TRUE(std::isnan(fit_joint(*never.contact, 0, 0.5).frictionloss));  // its spring grows with the displacement
}

TEST_F(Files, JointErrorsIncludeTheForceAtRest) {
  for (const double unit : {1.0, 1e3, 1e-4}) {  // of force
    const double Fs = 1.5 * unit, drop = 0.6;
    Made weak = make("velocity_weakening", {{"Fs", Fs}, {"drop", drop}, {"vw", 0.01}});
    const JointFit fit = fit_joint(*weak.contact, 0, 0.5);
    EXPECT_LT(fit.frictionloss, Fs * (1 - drop));
    EXPECT_NEAR(fit.largest, Fs, 1e-9 * Fs);
    EXPECT_NEAR(fit.worst, Fs - fit.frictionloss, 1e-9 * Fs);
    EXPECT_EQ(fit.worst_at, 0);
    Made step = make("coulomb", {{"Fc", unit}, {"Fs", 2 * unit}, {"kv", 0.3 * unit}}, {{"asymmetry", 0.1}});
    const JointFit two = fit_joint(*step.contact, 0, 0.5);
    EXPECT_NEAR(two.frictionloss, unit, 1e-6 * unit);
    EXPECT_NEAR(two.damping, 0.3 * unit, 1e-6 * unit);
    EXPECT_NEAR(two.worst, unit, 1e-6 * unit);
    EXPECT_NEAR(two.largest, 2 * unit, 1e-6 * unit);
    EXPECT_LT(fit_joint(*step.contact, 0.1, 0.5).worst, 1e-6 * unit);  // rest is outside of this range
  }
}

TEST_F(Files, HostileNamesStayInsideTheirQuotes) {
  const std::string path = file("title = \"end */ int x; /* ?"
                                "?/ \\\\\\\" \\n<script>--><!-- \\u0001 \\u202e\\u2028 | `\"\n" +
                                    lugre,
                                "a \"b*.toml");
  const BlockRead read = load_block(path);
  ASSERT_TRUE(read.block);
  for (const Kind& k : kinds()) {
    if (!k.text) continue;
    const Exported out = write(k, *read.block, with_joint(k));
    ASSERT_TRUE(out.problems.empty()) << k.name;
    const std::string& text = out.files.front().bytes;
    EXPECT_EQ(text.find('\x01'), std::string::npos) << k.name;
    if (std::string(k.name) != "json") {                            // there, the title is data
      EXPECT_EQ(text.find("\u202e"), std::string::npos) << k.name;  // text from right to left
      EXPECT_EQ(text.find("\u2028"), std::string::npos) << k.name;  // a line separator
    }
    EXPECT_EQ(std::string(k.name) == "json" || std::string(k.name) == "c" || std::string(k.name) == "modelica"
                  ? std::string::npos
                  : text.find("<script>"),
              std::string::npos)
        << k.name;
    if (std::string(k.name) == "c") {
      const std::size_t end = text.find("*/");
      EXPECT_NE(text.find("#ifndef"), std::string::npos);
      EXPECT_LT(text.find("SHA-256"), end);                  // the comment is closed after it
      EXPECT_EQ(text.substr(end, 16), "*/\n#if defined(A");  // and only once
      EXPECT_EQ(text.substr(3, end - 3).find("/*"), std::string::npos);
      EXPECT_EQ(text.find("??"), std::string::npos);
    }
    if (std::string(k.name) == "mjcf" || std::string(k.name) == "urdf") {
      EXPECT_EQ(text.substr(4, text.find("-->") - 4).find("--"), std::string::npos) << text;
    }
  }
}

TEST(FitRemarks, ReadTheCommentsOfFittedFiles) {
  const auto all = fit_remarks(
      "# Fc: of nobody\n[friction]\nmodel = \"gms\"  # x\nFc = 1.2   # N, 95 %: 1.1 to 1.3\n"
      "vs = 1e-3  # m/s, not identifiable\nk = [1, 2]\n# k1: N/m, 95 %: 0.5 to 2, at a limit\n# k2: N/m, 95 %: no limits\n"
      "# some words: of a diagnosis\n[friction.negative]\nFc = 2 # N, 95 %: > 1\n[fitted]\nmass = 1 # kg, 95 %: 0.9 to 1.1\n"
      "[measured]\nv = [0, 1] # m/s, 95 %: 1 to 2\n");
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].name, "Fc");
  EXPECT_EQ(all[0].interval, "1.1 to 1.3");
  EXPECT_FALSE(all[1].identifiable);
  EXPECT_EQ(all[2].name, "k1");
  EXPECT_TRUE(all[2].at_limit);
  EXPECT_EQ(all[2].interval, "0.5 to 2");
  EXPECT_EQ(all[3].interval, "no limits");
  EXPECT_EQ(all[4].name, "negative.Fc");
  EXPECT_EQ(all[5].name, "fitted.mass");
}

// The condition compares kv with a slope: with another exponent it decides only where no kv is required.
TEST_F(Files, PassivityIsOpenWhereTheConditionDoesNotHold) {
  for (const auto& [sigma1, exponent, expected] :
       {std::tuple{1.0, 1.0, "\"passive\": false"}, {1.0, 0.5, "\"passive\": null"}, {0.0, 0.5, "\"passive\": true"}}) {
    Made made = make("lugre", {{"Fc", 1.0},
                               {"Fs", 2.0},
                               {"vs", 0.01},
                               {"sigma0", 1e4},
                               {"sigma1", sigma1},
                               {"kv", 0.1},
                               {"kv_exponent", exponent}});
    const Block block = block_of(std::move(made.contact));
    const std::optional<bool> passive = certify(block, {}).passivity.passive;
    EXPECT_EQ(passive, sigma1 == 0 ? std::optional(true) : exponent == 1 ? std::optional(false) : std::nullopt);
    const Exported out = write(*find_kind("json"), block, {});
    ASSERT_FALSE(out.files.empty());
    EXPECT_NE(out.files[0].bytes.find(expected), std::string::npos) << expected;
  }
}

// The condition has to hold in both directions; offset and cogging are not part of it.
TEST_F(Files, PassivityCountsBothDirectionsAndNamesEffects) {
  const std::string negative = "[friction.negative]\nkv = 2\n", offset = "[friction.effects]\noffset = 0.1\n";
  auto block = [&](const std::string& more) { return std::move(*load_block(file(lugre + more)).block); };
  EXPECT_NEAR(certify(block(""), {}).passivity.margin_value, 0.4 - 5, 1e-12);
  EXPECT_NEAR(certify(block(negative), {}).passivity.margin_value, 0.4 - 5, 1e-12);
  const report::Certificate other = certify(block("[friction.negative]\nkv = 0.1\n"), {});
  EXPECT_NEAR(other.passivity.margin_value, 0.1 - 5, 1e-12);
  EXPECT_NE(other.passivity.margin.find("negative"), std::string::npos) << other.passivity.margin;
  EXPECT_EQ(certify(block(negative), {}).passivity.remark, "");
  for (const char* kind : {"c", "markdown", "json"}) {
    auto text = [&](const std::string& more) { return write(*find_kind(kind), block(more), {}).files.front().bytes; };
    EXPECT_NE(text(offset).find("exchange energy"), std::string::npos) << kind;
    EXPECT_EQ(text("").find("exchange energy"), std::string::npos) << kind;
  }
}

TEST_F(Files, CertificatesStateMarginAndBounds) {
  std::mt19937 random(3);
  auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  for (int i = 0; i < 20; ++i) {
    const double Fc = between(0.5, 2), Fs = Fc * between(1, 3), sigma1 = between(0, 50), kv = between(0, 50);
    Made made = make("lugre", {{"Fc", Fc}, {"Fs", Fs}, {"vs", 0.01}, {"sigma0", 1e4}, {"sigma1", sigma1}, {"kv", kv}});
    const report::Certificate c = certify(block_of(std::move(made.contact)), {});
    EXPECT_NEAR(c.passivity.margin_value, kv - sigma1 * (Fs - Fc) / Fc, 1e-9);
    EXPECT_EQ(c.passivity.passive, c.passivity.margin_value >= 0);
    ASSERT_EQ(c.bounds.size(), 1u);
    EXPECT_NEAR(c.bounds[0].bound, Fs / 1e4, 1e-12);
    EXPECT_LE(c.bounds[0].reached, 1 + 1e-12);
    EXPECT_GT(c.bounds[0].reached, 0.9);
  }
}

}  // namespace
}  // namespace bristle::exports

#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bristle/export.hpp"
#include "bristle/registry/describe.hpp"
#include "fmu/fmi/fmi2Functions.h"
#include "fmu/fmi/fmi3Functions.h"

/// An FMU as an importer sees it: the archive, its XML, and the binary, loaded and driven through the functions of FMI.
namespace fmu_importer {

using namespace bristle;
namespace fs = std::filesystem;

inline const std::string resources = BRISTLE_RESOURCES;

inline std::unique_ptr<AnyContact> typical(const ModelInfo& info, const Table& effects = {}) {
  Table table;
  for (const FieldInfo& f : info.parameters) {
    if (f.required) table.push_back({f.name, f.value});
  }
  return std::move(make(info.name, table, effects).contact);
}
inline std::vector<const ModelInfo*> models() {
  std::vector<const ModelInfo*> out;
  for (const ModelInfo& m : model_infos()) {
    const auto contact = typical(m);
    if (contact && exports::refusal(exports::block_of(contact->clone())).empty()) out.push_back(&m);
  }
  return out;
}

/// The files of an archive with stored entries, read by its own structure.
inline std::map<std::string, std::string> unzip(const std::string& bytes) {
  std::map<std::string, std::string> out;
  auto number = [&](std::size_t at, int n) {
    std::size_t x = 0;
    for (int i = n; i-- > 0;) x = x << 8U | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
    return x;
  };
  std::size_t at = 0;
  while (number(at, 4) == 0x04034b50) {
    const std::size_t size = number(at + 22, 4), name = number(at + 26, 2);
    out[bytes.substr(at + 30, name)] = bytes.substr(at + 30 + name, size);
    at += 30 + name + size;
  }
  return out;
}

inline std::map<std::string, unsigned> references(const std::string& xml) {
  std::map<std::string, unsigned> out;
  for (std::size_t at = 0; (at = xml.find(" name=\"", at)) != std::string::npos; ++at) {
    const std::size_t end = xml.find('"', at + 7), key = xml.find(" valueReference=\"", end);
    if (key == end + 1) out[xml.substr(at + 7, end - at - 7)] = static_cast<unsigned>(std::stoul(xml.substr(key + 17)));
  }
  return out;
}

/// An FMU on disk, its functions, and instances of it.
struct Fmu {
  std::map<std::string, std::string> files;
  std::map<std::string, unsigned> vr;
  fs::path folder;
  void* library = nullptr;
  std::string token;

  Fmu(std::unique_ptr<AnyContact> contact, const std::string& kind, int version = 2, double mass = 1,
      const std::function<void(FittedPart&)>& fitted = {}) {
    exports::Block block = exports::block_of(std::move(contact));
    block.file.fitted.mass = mass;
    if (fitted) fitted(block.file.fitted);
    const exports::Exported made = exports::write(
        *exports::find_kind("fmu"), block, {.out = "x.fmu", .version = version, .kind = kind, .resources = resources});
    if (!made.problems.empty()) throw std::runtime_error(made.problems.front().line());
    files = unzip(made.files.front().bytes);
    vr = references(files.at("modelDescription.xml"));
    token = block.sha256;
    static int number = 0;
    folder = fs::temp_directory_path() / ("bristle fmu " + std::to_string(::getpid()) + "_" + std::to_string(number++));
    fs::create_directories(folder);
    for (const char* name : {"friction.txt", "unit.txt"})
      std::ofstream(folder / name, std::ios::binary) << files.at(std::string("resources/") + name);
    library = dlopen((resources + "/fmu/x86_64-linux/bristle.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
  }
  Fmu(const Fmu&) = delete;
  ~Fmu() { fs::remove_all(folder); }
  template <class F> F* function(const char* name) const { return reinterpret_cast<F*>(dlsym(library, name)); }
};
#define FMI2(name) fmu.function<fmi2##name##TYPE>("fmi2" #name)
#define FMI3(name) fmu.function<fmi3##name##TYPE>("fmi3" #name)

struct Instance2 {
  const Fmu& fmu;
  fmi2Component c{};
  explicit Instance2(const Fmu& f, std::string location = {}, const std::string& token = {},
                     fmi2Type type = fmi2CoSimulation)
      : fmu(f) {
    static const fmi2CallbackFunctions call{};
    if (location.empty()) location = f.folder.string();
    c = FMI2(Instantiate)("one", type, (token.empty() ? f.token : token).c_str(), location.c_str(), &call, 0, 0);
  }
  Instance2(const Instance2&) = delete;
  ~Instance2() {
    if (c) FMI2(FreeInstance)(c);
  }
  void start() {
    EXPECT_EQ(FMI2(SetupExperiment)(c, 0, 0, 0, 0, 0), fmi2OK);
    EXPECT_EQ(FMI2(EnterInitializationMode)(c), fmi2OK);
    EXPECT_EQ(FMI2(ExitInitializationMode)(c), fmi2OK);
  }
  fmi2Status set(const std::string& name, double x) {
    const fmi2ValueReference r = fmu.vr.at(name);
    return FMI2(SetReal)(c, &r, 1, &x);
  }
  double get(const std::string& name) {
    const fmi2ValueReference r = fmu.vr.at(name);
    double x = NAN;
    EXPECT_EQ(FMI2(GetReal)(c, &r, 1, &x), fmi2OK) << name;
    return x;
  }
  fmi2Status step(double t, double h) { return FMI2(DoStep)(c, t, h, fmi2True); }
};

struct Instance3 {
  const Fmu& fmu;
  fmi3Instance c{};
  explicit Instance3(const Fmu& f) : fmu(f) {
    c = FMI3(InstantiateCoSimulation)("one", f.token.c_str(), f.folder.string().c_str(), false, false, false, false,
                                      nullptr, 0, nullptr, nullptr, nullptr);
  }
  Instance3(const Instance3&) = delete;
  ~Instance3() {
    if (c) FMI3(FreeInstance)(c);
  }
  void start() {
    EXPECT_EQ(FMI3(EnterInitializationMode)(c, false, 0, 0, false, 0), fmi3OK);
    EXPECT_EQ(FMI3(ExitInitializationMode)(c), fmi3OK);
  }
  int set(const std::string& name, double x) {
    const fmi3ValueReference r = fmu.vr.at(name);
    return FMI3(SetFloat64)(c, &r, 1, &x, 1);
  }
  double get(const std::string& name) {
    const fmi3ValueReference r = fmu.vr.at(name);
    double x = NAN;
    EXPECT_EQ(FMI3(GetFloat64)(c, &r, 1, &x, 1), fmi3OK) << name;
    return x;
  }
  int step(double t, double h) {
    bool event = false, end = false, early = false;
    double last = 0;
    return FMI3(DoStep)(c, t, h, true, &event, &end, &early, &last);
  }
};

}  // namespace fmu_importer

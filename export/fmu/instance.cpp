#include "instance.hpp"

#include <cstdint>
#include <cstdio>

namespace bristle::fmu {
namespace {

constexpr char mark[] = "bristle-state-1";

int hex(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

}  // namespace

std::string folder_of(const std::string& location) {
  std::string path = location;
  if (path.starts_with("file:")) {
    path.erase(0, 5);
    if (path.starts_with("//")) {
      path.erase(0, 2);
      path.erase(0, path.find('/'));  // the host
    }
    std::string decoded;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const bool escape = path[i] == '%' && i + 2 < path.size() && hex(path[i + 1]) >= 0 && hex(path[i + 2]) >= 0;
      decoded += escape ? static_cast<char>(16 * hex(path[i + 1]) + hex(path[i + 2])) : path[i];
      if (escape) i += 2;
    }
    path = decoded;
#ifdef _WIN32
    if (path.size() > 2 && path[0] == '/' && path[2] == ':') path.erase(0, 1);
#endif
  }
  while (path.size() > 1 && (path.back() == '/' || path.back() == '\\')) path.pop_back();
  return path;
}

bool read_file(const std::string& path, std::string& out) {
  std::FILE* f = std::fopen(path.c_str(), "rb");
  if (!f) return false;
  char part[4096];
  std::size_t n = 0;
  while ((n = std::fread(part, 1, sizeof part, f)) > 0 && out.size() <= 1'000'000) out.append(part, n);
  const bool good = std::ferror(f) == 0 && out.size() <= 1'000'000;
  std::fclose(f);
  return good;
}

std::string Instance::load(const std::string& resources, const std::string& token) {
  const std::string folder = folder_of(resources);
  std::string block, settings;
  for (const auto& [name, text] : {std::pair{"/friction.txt", &block}, std::pair{"/unit.txt", &settings}}) {
    if (!read_file(folder + name, *text)) return "cannot read " + folder + name;
  }
  if (std::string wrong = fresh_.load(block, settings); !wrong.empty()) return wrong;
  if (token != fresh_.token())
    return "the token '" + token + "' of modelDescription.xml is not that of resources/unit.txt, '" + fresh_.token() +
           "'";
  unit = fresh_;
  return "";
}

std::vector<char> Instance::bytes() const {
  const std::vector<double> numbers = unit.memory();
  const std::string head = std::string(mark) + unit.token();
  std::vector<char> out(head.begin(), head.end());
  out.resize(head.size() + sizeof(double) * (numbers.size() + 1));
  std::memcpy(out.data() + head.size(), &start, sizeof(double));
  std::memcpy(out.data() + head.size() + sizeof(double), numbers.data(), sizeof(double) * numbers.size());
  return out;
}

bool Instance::set_bytes(const char* data, std::size_t size) {
  const std::string head = std::string(mark) + unit.token();
  std::vector<double> numbers(unit.memory().size());
  if (size != head.size() + sizeof(double) * (numbers.size() + 1) || std::memcmp(data, head.data(), head.size()) != 0)
    return false;
  std::memcpy(numbers.data(), data + head.size() + sizeof(double), sizeof(double) * numbers.size());
  if (!unit.set_memory(numbers)) return false;
  std::memcpy(&start, data + head.size(), sizeof(double));
  return true;
}

}  // namespace bristle::fmu

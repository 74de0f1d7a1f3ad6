#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.hpp"
#include "bristle/output.hpp"
#include "bristle/sweep.hpp"

namespace bristle::sweep {
namespace {

/// The cells of a line of a CSV file, valid until the next line.
class Cells {
 public:
  const std::vector<std::string_view>& of(std::string_view line) {
    cells_.clear();
    if (line.find('"') == std::string_view::npos) {
      for (std::size_t from = 0;;) {
        const std::size_t end = line.find(',', from);
        cells_.push_back(line.substr(from, end - from));
        if (end == std::string_view::npos) return cells_;
        from = end + 1;
      }
    }
    std::vector<std::string>& out = unquoted_;
    out.assign(1, {});
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
        out.back() += line[++i];
      } else if (line[i] == '"') {
        quoted = !quoted;
      } else if (line[i] == ',' && !quoted) {
        out.emplace_back();
      } else {
        out.back() += line[i];
      }
    }
    cells_.assign(out.begin(), out.end());
    return cells_;
  }

 private:
  std::vector<std::string_view> cells_;
  std::vector<std::string> unquoted_;
};

class TableReader {
 public:
  TableReader(const Plan& plan, std::size_t most) : plan_(plan) {
    const Design& d = plan.design;
    const std::size_t n = d.keys.size();
    out_.keys.resize(n);
    out_.measures.resize(plan.measures.size());
    out_.columns.resize(plan.measures.size());
    const std::uint64_t rows = plan.end() - plan.begin();
    if (d.sobol || plan.shard.count > 1) {
      every_ = std::max<std::uint64_t>(1, rows / std::max<std::size_t>(most, 1));
      return;
    }
    for (const Varied& v : d.keys) {
      out_.shape.push_back(static_cast<std::size_t>(v.points.value_or(1)));
      out_.stride.push_back(1);
    }
    auto count = [&] {
      double product = 1;
      for (std::size_t k = 0; k < n; ++k) product *= static_cast<double>(kept(k));
      return product;
    };
    while (count() > static_cast<double>(most)) {  // the longest axis is thinned
      std::size_t longest = 0;
      for (std::size_t k = 1; k < n; ++k) longest = kept(k) > kept(longest) ? k : longest;
      out_.stride[longest] *= 2;
    }
  }

  void line(std::string_view text) {
    const std::uint64_t i = out_.rows++;
    const std::vector<std::string_view>& c = cells_.of(text);
    const std::size_t keys = out_.keys.size(), measures = out_.measures.size();
    if (c.size() != keys + measures + 2) throw FileError("table.csv: line " + std::to_string(i + 2) + " is damaged");
    std::vector<double>&at = at_, &values = values_;
    at.clear();
    values.clear();
    for (std::size_t k = 0; k < keys + measures; ++k)
      (k < keys ? at : values).push_back(parse_number(c[k]).value_or(std::numeric_limits<double>::quiet_NaN()));
    const std::string_view status = c[keys + measures];
    ++(status == "done" ? out_.done : status == "diverged" ? out_.diverged : out_.failed);
    if (!c.back().empty()) note(c.back());
    for (std::size_t k = 0; k < measures; ++k) {
      if (std::isnan(values[k])) continue;
      Table::Column& of = out_.columns[k];
      if (of.defined++ == 0 || values[k] < of.least.value) of.least = {values[k], at};
      if (of.defined == 1 || values[k] > of.most.value) of.most = {values[k], at};
    }
    if (!keeps(i)) return;
    for (std::size_t k = 0; k < keys; ++k) out_.keys[k].push_back(at[k]);
    for (std::size_t k = 0; k < measures; ++k) out_.measures[k].push_back(values[k]);
  }

  Table finish() {
    for (std::size_t k = 0; k < out_.shape.size(); ++k) out_.shape[k] = kept(k);
    return std::move(out_);
  }

 private:
  std::size_t kept(std::size_t k) const {
    const auto n = static_cast<std::size_t>(plan_.design.keys[k].points.value_or(1));
    return (n + out_.stride[k] - 1) / out_.stride[k];
  }
  bool keeps(std::uint64_t i) const {
    if (out_.stride.empty()) return i % every_ == 0;
    for (std::size_t k = out_.stride.size(); k-- > 0;) {
      const std::uint64_t n = plan_.design.keys[k].points.value_or(1);
      if (i % n % out_.stride[k] != 0) return false;
      i /= n;
    }
    return true;
  }
  void note(std::string_view message) {
    constexpr std::size_t kinds = 12;
    const auto same = std::ranges::find(out_.messages, message, &Table::Message::text);
    if (same != out_.messages.end()) {
      ++same->count;
    } else if (out_.messages.size() < kinds) {
      out_.messages.push_back({std::string(message), 1});
    }
  }

  const Plan& plan_;
  Cells cells_{};
  std::vector<double> at_{}, values_{};
  std::uint64_t every_ = 1;
  Table out_{};
};

}  // namespace

Table read_table(const std::string& path, const Plan& plan, std::size_t most) {
  TableReader reader(plan, most);
  std::string rest;
  bool head = true;
  read_pieces(path, [&](std::string_view piece) {
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      if (!rest.empty()) rest += piece.substr(0, end);
      if (!head) reader.line(rest.empty() ? piece.substr(0, end) : std::string_view(rest));
      head = false;
      rest.clear();
      piece.remove_prefix(end + 1);
    }
    rest += piece;
    return true;
  });
  return reader.finish();
}

}  // namespace bristle::sweep

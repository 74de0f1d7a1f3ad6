#include "bristle/gallery.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <ostream>
#include <set>

#include "base/escape.hpp"
#include "bristle/output.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/paint.hpp"
#include "cli/progress.hpp"
#include "cli/screen.hpp"
#include "cli/share.hpp"
#include "commands.hpp"

namespace bristle::cli {
namespace {

namespace fs = std::filesystem;
using namespace bristle::gallery;

/// File names from labels: exact_coulomb.csv from "exact Coulomb".
std::vector<std::string> file_names(const FigureFile& file) {
  std::vector<std::string> out;
  for (const gallery::Variant& v : file.variants) {
    std::string name = file.name;
    for (const char c : v.label.empty() ? "" : "-" + v.label) {
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
      if (plain || name.back() != '_')
        name += plain ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '_';
    }
    while (std::count(out.begin(), out.end(), name + ".csv") > 0) name += '_';
    out.push_back(name + ".csv");
  }
  return out;
}

struct Item {
  const Paper* paper;
  const FigureFile* file;
  std::string id() const { return paper->name + "/" + file->name; }
};

report::GalleryEntry entry_of(const Item& item, const std::vector<VariantResult>& results) {
  const FigureFile& f = *item.file;
  const std::vector<std::string> names = file_names(f);
  report::GalleryEntry out{.id = item.id(),
                           .figure = f.figure,
                           .title = f.title,
                           .caption = f.caption,
                           .differs = f.differs,
                           .text = f.text,
                           .picture = picture(f, results)};
  for (const TableSpec& t : f.tables) {
    report::TextTable& table = out.tables.emplace_back(report::TextTable{t.title, gallery::table(f, t, results)});
    for (const TableColumn& c : t.columns) table.words.push_back(c.value == "label");
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const VariantResult& r = results[i];
    out.runs.push_back({f.variants[i].label, &f.variants[i].scenario, &r.run, &r.checks,
                        item.paper->name + "/" + names[i], r.cpu_ms, r.failure});
  }
  return out;
}

void write_table(const FigureFile& file, const TableSpec& spec, const std::vector<VariantResult>& results,
                 std::ostream& out) {
  for (std::size_t c = 0; c < spec.columns.size(); ++c) out << (c == 0 ? "" : ",") << csv_cell(spec.columns[c].head);
  out << '\n';
  const auto rows = numbers(file, spec, results);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const bool label = spec.columns[c].value == "label";
      out << (c == 0 ? "" : ",");
      if (label) out << csv_cell(file.variants[spec.variants[r]].label);
      if (!label && std::isfinite(rows[r][c])) out << to_text(rows[r][c]);
    }
    out << '\n';
  }
}

/// fig5.table.csv, fig5.table2.csv...
std::string table_name(const FigureFile& file, std::size_t i) {
  return fmt::format("{}.table{}.csv", file.name, i == 0 ? "" : std::to_string(i + 1));
}

Json json_of(const FigureFile& file, const TableSpec& spec, const std::vector<VariantResult>& results) {
  Json out{{"title", spec.title}, {"columns", Json::array()}, {"rows", Json::array()}};
  for (const TableColumn& c : spec.columns) out["columns"].push_back(c.head);
  const auto rows = numbers(file, spec, results);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Json row = Json::array();
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      row.push_back(spec.columns[c].value == "label" ? Json(file.variants[spec.variants[r]].label)
                                                     : json_number(rows[r][c]));
    }
    out["rows"].push_back(std::move(row));
  }
  return out;
}

/// Writes picture and data of one figure: either all files or none.
void write_files(const fs::path& folder, const Item& item, const report::GalleryEntry& entry,
                 const std::vector<VariantResult>& results) {
  const fs::path place = folder / item.paper->name;
  fs::create_directories(place);
  const std::vector<std::string> names = file_names(*item.file);
  std::vector<OutputFile> files;
  if (!entry.picture.panels.empty()) {
    files.emplace_back(place / (item.file->name + ".svg"), [&](std::ostream& o) { o << plot::svg(entry.picture); });
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].failure.empty()) continue;
    files.emplace_back(place / names[i], [&](std::ostream& o) { write_csv(results[i].run.trace, o); });
  }
  const auto& tables = item.file->tables;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    files.emplace_back(place / table_name(*item.file, i),
                       [&](std::ostream& o) { write_table(*item.file, tables[i], results, o); });
  }
  keep(files);
}

Json json_of(const Item& item, const std::vector<VariantResult>& results) {
  Json out{{"id", item.id()}, {"figure", item.file->figure}, {"title", item.file->title}, {"variants", Json::array()}};
  bool good = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const VariantResult& r = results[i];
    Json v{{"label", item.file->variants[i].label}, {"cpu_ms", r.cpu_ms}, {"checks", Json::array()}};
    if (!r.failure.empty()) v["failure"] = r.failure;
    for (const Checked& c : r.checks) {
      v["checks"].push_back({{"expect", c.expectation->text},
                             {"computed", json_number(c.computed)},
                             {"deviation", json_number(c.deviation)},
                             {"expected", c.expected},
                             {"held", c.held}});
    }
    good = good && r.held();
    out["variants"].push_back(std::move(v));
  }
  for (const TableSpec& t : item.file->tables) out["tables"].push_back(json_of(*item.file, t, results));
  out["held"] = good;
  return out;
}

int list(const Library& library, bool json) {
  Json all = Json::array();
  for (const Paper& p : library.papers) {
    if (!json) print("{}  {}\n", p.name, p.title);
    for (const FigureFile& f : p.figures) {
      if (!json) print("  {:<28} {}: {}\n", p.name + "/" + f.name, f.figure, f.title);
      all.push_back({{"id", p.name + "/" + f.name}, {"paper", p.title}, {"figure", f.figure}, {"title", f.title}});
    }
  }
  if (json) print("{}", json_text(all));
  return done;
}

std::size_t held_count(const VariantResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.checks.begin(), result.checks.end(), [](const Checked& c) { return c.held; }));
}

/// Prints one line for a figure and one line for each failed check.
report::GalleryItem tell(const Item& item, const std::vector<VariantResult>& results, bool quiet) {
  report::GalleryItem out{.id = item.id(), .figure = item.file->figure};
  double cpu = 0, balance = 0, work = 0;
  std::size_t runs = 0, free = 0;  // free: the motion is not given
  bool moves = false;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const VariantResult& r = results[i];
    const bool given = item.file->variants[i].scenario.experiment.kind == SystemKind::prescribed;
    if (given && r.failure.empty()) {
      const report::WorkCheck check = report::check_work(r.run);
      work = std::max(work, check.error());
      moves = moves || !(check.size == 0);
    }
    free += given ? 0U : 1U;
    out.checks += r.checks.size();
    out.held += held_count(r);
    out.good = out.good && r.held();
    cpu += r.cpu_ms;
    runs += 1 + r.again.size();
    balance = std::max(balance, r.run.summary.energy.error);
  }
  if (!quiet) {
    const std::string energy = free > 0            ? fmt::format("energy balanced to {:.0e}", balance)
                               : moves || work > 0 ? fmt::format("work and integral of F dx differ by {:.0e}", work)
                                                   : "no work of friction";
    const std::string checks = out.checks == 0 ? "no checks"
                                               : painted(fmt::format("{} of {} checks hold", out.held, out.checks),
                                                         out.good ? Paint::good : Paint::bad);
    print("  {:<28} {}, {} {} in {:.3g} ms, {}\n", out.id, checks, runs, runs == 1 ? "run" : "runs", cpu, energy);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& label = item.file->variants[i].label;
    const std::string of = label.empty() ? "" : label + ": ";
    if (!results[i].failure.empty()) complain(Problem{item.file->path, of + results[i].failure}.line());
    for (const Checked& c : results[i].checks) {
      if (!c.held) complain(Problem{c.expectation->where, of + c.line}.line());
    }
  }
  return out;
}

/// All figures of the selections, each once, in the order of the papers.
Library load_all(const std::string& folder, const std::vector<std::string>& selections) {
  if (selections.empty()) return load(folder);
  Library out;
  for (const std::string& selection : selections) {
    Library part = load(folder, selection);
    for (Problem& p : part.problems) out.problems.push_back(std::move(p));
    for (Paper& paper : part.papers) {
      const auto same = std::ranges::find(out.papers, paper.name, &Paper::name);
      if (same == out.papers.end()) {
        out.papers.push_back(std::move(paper));
        continue;
      }
      for (FigureFile& f : paper.figures) {
        if (std::ranges::find(same->figures, f.name, &FigureFile::name) == same->figures.end())
          same->figures.push_back(std::move(f));
      }
    }
  }
  return out;
}

}  // namespace

int papers(const PapersOptions& options) {
  const Interrupt interrupt;
  const Library library = load_all(options.from.empty() ? share_folder("papers") : options.from, options.selection);
  for (const Problem& p : library.problems) complain(p.line());
  if (!library.problems.empty()) return wrong_input;
  if (options.list) return list(library, options.json);

  std::vector<Item> items;
  std::vector<const FigureFile*> files;
  std::vector<report::GallerySection> sections;
  std::vector<std::size_t> section_of;
  for (const Paper& p : library.papers) {
    for (const FigureFile& f : p.figures) {
      if (options.quick && f.slow) continue;
      items.push_back({&p, &f});
      files.push_back(&f);
      section_of.push_back(sections.size());
    }
    sections.push_back({.title = p.title, .authors = p.authors, .reference = p.reference});
  }
  const fs::path folder = options.out;
  Json json = Json::array();
  bool good = true;
  try {
    fs::create_directories(folder);
    std::mutex screen;
    Progress progress(1, !options.json);
    run(files,
        [&](std::size_t i, const std::vector<VariantResult>& results) {
          const report::GalleryEntry entry = entry_of(items[i], results);
          write_files(folder, items[i], entry, results);
          const std::lock_guard lock(screen);
          progress.finish();
          report::GalleryItem item = tell(items[i], results, options.json);
          good = good && item.good;
          item.html = report::gallery_entry(entry);
          sections[section_of[i]].items.push_back(std::move(item));
          if (options.json) json.push_back(json_of(items[i], results));
        },
        {.progress =
             [&](double part) {
               const std::lock_guard lock(screen);
               progress.reached(part);
             },
         .stop = &Interrupt::flag()});
    progress.finish();
    std::erase_if(sections, [](const report::GallerySection& s) { return s.items.empty(); });
    const std::string page = (folder / "index.html").string();
    if (!sections.empty()) {
      const std::string title = sections.size() == 1 ? sections[0].title : "Published figures, computed again";
      write_file(page, [&](std::ostream& o) { o << report::gallery_page(title, sections); });
    }
    if (options.json) {
      print("{}", json_text(json));
    } else if (!sections.empty()) {
      print("wrote {}\n", page);
    }
  } catch (...) { return status_of_exception(options.out); }
  if (Interrupt::flag()) {
    complain("stopped");
    return stopped;
  }
  return good ? done : failed;
}

}  // namespace bristle::cli

#include "bristle/identify.hpp"

#include <cmath>

#include "bristle/identify/fit.hpp"
#include "bristle/report/fit.hpp"
#include "bristle/scenario.hpp"
#include "common.hpp"

namespace bristle::python {
namespace {

using namespace bristle::identify;

/// Recordings read from files or arrays.
struct Recordings {
  std::vector<Recording> all{};
  std::vector<std::string> names{};
  std::vector<std::vector<Finding>> findings{};

  void add(Read&& read, const std::string& name) {
    raise_if(read.problems);
    all.push_back(std::move(read.recording));
    names.push_back(name);
    findings.push_back(std::move(read.findings));
  }
};

using Words = std::vector<std::pair<std::string, std::string>>;

Reading reading_of(const Words& columns, const Words& terms, double bandwidth, double rate, bool motion) {
  Reading out{.columns = columns, .bandwidth = bandwidth, .rate = rate, .motion = motion};
  out.terms = terms;
  return out;
}

Trace trace_of(const std::vector<std::string>& names, const std::vector<In>& series) {
  Trace out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out.columns.push_back({names[i], "", std::vector<double>(series[i].data(), series[i].data() + series[i].shape(0))});
  return out;
}

/// Fits with their recordings, for predictions and pages.
struct Fitted {
  Ranking ranking{};
  Recordings data{}, validation{};
  std::shared_ptr<const Rig> rig{};
  report::Fitted shown() const {
    return {.ranking = &ranking,
            .recordings = data.all,
            .files = data.names,
            .findings = data.findings,
            .validation = validation.all,
            .validation_files = validation.names,
            .rig = rig.get(),
            .validation_findings = validation.findings};
  }
  const Fit& fit(std::size_t i) const { return ranking.fits.at(i); }
};

std::shared_ptr<const Rig> rig_of(const std::string& text, const std::string& path) {
  if (text.empty()) return nullptr;
  Loaded loaded = read_scenario(text, path);
  raise_if(loaded.problems);
  return std::make_shared<const Rig>(path, std::move(loaded.scenario->experiment));
}

Options options_of(const nb::dict& d) {
  Options o;
  auto take = [&]<class T>(const char* name, T& to) {
    if (d.contains(name) && !d[name].is_none()) to = nb::cast<T>(d[name]);
  };
  take("models", o.models);
  take("effects", o.effects);
  take("free", o.free);
  take("elements", o.elements);
  take("starts", o.starts);
  take("folds", o.folds);
  take("profiles", o.profiles);
  take("global", o.global);
  take("seconds", o.seconds);
  take("threads", o.threads);
  take("seed", o.seed);
  take("train", o.train);
  int gravity = static_cast<int>(o.gravity), loss = static_cast<int>(o.loss);
  take("gravity", gravity);
  take("loss", loss);
  o.gravity = static_cast<Gravity>(gravity);
  o.loss = static_cast<Loss>(loss);
  if (d.contains("fixed")) o.fixed = table_of(nb::cast<nb::dict>(d["fixed"]));
  std::vector<std::tuple<std::string, double, double>> priors;
  take("priors", priors);
  for (const auto& [name, mean, sigma] : priors) o.priors.push_back({name, mean, sigma});
  return o;
}

std::unique_ptr<Fitted> identify_all(Recordings& data, Recordings& validation, const nb::dict& given,
                                     const std::pair<std::string, std::string>& scenario, const nb::object& progress) {
  Options options = options_of(given);
  auto out = std::make_unique<Fitted>();
  out->rig = rig_of(scenario.first, scenario.second);
  out->data = data;
  out->validation = validation;
  options.rig = out->rig;
  options.validation = validation.all;
  out->ranking = interruptible(progress, [&](Watched& w) {
    options.progress = [&](double part, const std::string&) {
      w.done = part;
      return !w.stop.load();
    };
    return identify::identify(data.all, options);
  });
  return out;
}

std::unique_ptr<Fitted> fit_one(Recordings& data, const std::string& model, const nb::dict& start,
                                const nb::dict& given, bool intervals, const nb::object& progress) {
  Options options = options_of(given);
  const Table values = table_of(start);
  auto out = std::make_unique<Fitted>();
  out->data = data;
  out->ranking.fits.push_back(interruptible(progress, [&](Watched& w) {
    options.progress = [&](double, const std::string&) { return !w.stop.load(); };
    return identify::fit(data.all, model, values, options, intervals);
  }));
  out->ranking.recommended = model;
  return out;
}

nb::list estimates_of(const std::vector<Estimate>& estimates) {
  nb::list out;
  for (const Estimate& e : estimates) {
    nb::dict d;
    d["name"] = e.name;
    d["unit"] = e.unit;
    d["value"] = e.value;
    d["low"] = e.low;
    d["high"] = e.high;
    d["profiled"] = e.profiled;
    d["at_bound"] = e.at_bound;
    d["identifiable"] = e.identifiable;
    d["diagnosis"] = e.diagnosis;
    out.append(d);
  }
  return out;
}

nb::dict parts_of(const Fit& f) {
  nb::dict d;
  d["model"] = f.model;
  d["friction"] = estimates_of(f.friction);
  d["body"] = estimates_of(f.body);
  d["parameters"] = dict_of(f.parameters);
  d["effects"] = dict_of(f.effects);
  d["used"] = f.used;
  d["rmse"] = f.rmse;
  d["relative_percent"] = f.relative;
  d["r_squared"] = f.r_squared;
  d["bic"] = f.bic;
  d["held_out_rmse"] = f.held_out;
  d["converged"] = f.converged;
  d["message"] = f.message;
  d["seconds"] = f.seconds;
  return d;
}

nb::dict errors_of(const Errors& e) {
  nb::dict d;
  d["rows"] = e.rows;
  d["rmse"] = e.rmse;
  d["relative_percent"] = e.relative;
  d["mean_abs"] = e.mean_abs;
  d["r_squared"] = e.r_squared;
  return d;
}

nb::list predictions_of(std::vector<std::vector<double>>&& predicted) {
  nb::list out;
  for (auto& p : predicted) out.append(owned(std::move(p)));
  return out;
}

nb::tuple scored(Score&& s, const nb::list& remarks) {
  nb::list each;
  for (const Errors& e : s.each) each.append(errors_of(e));
  return nb::make_tuple(errors_of(s.all), each, predictions_of(std::move(s.predicted)), remarks);
}

nb::tuple score_file(const std::string& path, const Recordings& data) {
  FrictionRead read = load_friction(path);
  raise_if(read.problems);
  std::vector<std::string> objections;
  nb::list remarks;
  for (const Recording& r : data.all) {
    if (const std::string why = report::objection_to(*read.file, r); !why.empty()) objections.push_back(why);
    for (const std::string& remark : report::remarks_on(*read.file, r)) remarks.append(remark);
  }
  if (!objections.empty()) raise(objections);
  return scored(score(report::fit_of(*read.file), data.all), remarks);
}

/// A fit without its recordings, for predictions in another process.
std::unique_ptr<Fitted> fitted_of_file(const std::string& path) {
  FrictionRead read = load_friction(path);
  raise_if(read.problems);
  auto out = std::make_unique<Fitted>();
  out->ranking.fits.push_back(report::fit_of(*read.file));
  return out;
}

}  // namespace

void bind_identify(nb::module_& m) {
  nb::class_<Recordings>(m, "Recordings")
      .def(nb::init<>())
      .def("add_columns",
           [](Recordings& r, const std::string& name, const std::vector<std::string>& names,
              const std::vector<In>& series, const Words& columns, const Words& terms, double bandwidth, double rate,
              bool motion) {
             r.add(make_recording(trace_of(names, series), reading_of(columns, terms, bandwidth, rate, motion), name),
                   name);
           })
      .def("add_clean",
           [](Recordings& r, const std::string& name, const In& t, const In& v, const In& x, const In& F, const In& N,
              const In& T, bool coefficient) {
             auto copy = [](const In& a) { return std::vector<double>(a.data(), a.data() + a.shape(0)); };
             Recording one{
                 .name = name, .t = copy(t), .x = copy(x), .v = copy(v), .F = copy(F), .N = copy(N), .T = copy(T)};
             one.coefficient = coefficient;
             r.all.push_back(std::move(one));
             r.names.push_back(name);
             r.findings.push_back({{false, "columns t, v and F in SI units, used as they are"}});
           })
      .def("add_file",
           [](Recordings& r, const std::string& path, const Words& columns, const Words& terms, double bandwidth,
              double rate,
              bool motion) { r.add(read_recording(path, reading_of(columns, terms, bandwidth, rate, motion)), path); })
      .def("findings",
           [](const Recordings& r) {
             nb::list out;
             for (const auto& each : r.findings) {
               nb::list texts;
               for (const Finding& f : each) texts.append(f.text);
               out.append(texts);
             }
             return out;
           })
      .def("target", [](nb::handle self,
                        std::size_t i) { return inside(nb::cast<const Recordings&>(self).all.at(i).target(), self); })
      .def("rows", [](const Recordings& r, std::size_t i) { return r.all.at(i).line; });
  nb::class_<Fitted>(m, "Fitted")
      .def("size", [](const Fitted& f) { return f.ranking.fits.size(); })
      .def("fit", [](const Fitted& f, std::size_t i) { return parts_of(f.fit(i)); })
      .def("failed",
           [](const Fitted& f) {
             nb::dict out;
             for (const Fit& e : f.ranking.failed) out[e.model.c_str()] = e.message;
             return out;
           })
      .def("recommended", [](const Fitted& f) { return nb::make_tuple(f.ranking.recommended, f.ranking.why); })
      .def("notes", [](const Fitted& f) { return f.ranking.notes; })
      .def("stopped", [](const Fitted& f) { return f.ranking.stopped; })
      .def("predicted",
           [](const Fitted& f, std::size_t i) {
             auto copy = f.fit(i).predicted;
             return predictions_of(std::move(copy));
           })
      .def("predict",
           [](const Fitted& f, std::size_t i, const Recordings& data) {
             std::vector<std::vector<double>> out;
             for (const Recording& r : data.all) out.push_back(predict(f.fit(i), r, f.rig.get()));
             return predictions_of(std::move(out));
           })
      .def("score", [](const Fitted& f, std::size_t i,
                       const Recordings& data) { return scored(score(f.fit(i), data.all, f.rig.get()), nb::list()); })
      .def("csv", [](const Fitted& f) { return report::ranking_csv(f.shown()); })
      .def("toml", [](const Fitted& f, std::size_t i) { return report::friction_file(f.fit(i), f.shown()); })
      .def("page", [](const Fitted& f) { return report::fit_page(f.shown()); })
      .def("figure",
           [](const Fitted& f, std::size_t i, std::size_t recording) {
             if (recording >= f.data.all.size() + f.validation.all.size())
               raise({"figure: there is no such recording; a fit that was pickled has none"});
             return figure_of(report::overlay_figure(f.shown(), f.fit(i), recording));
           })
      .def("svg", [](const Fitted& f, std::size_t i, std::size_t recording) {
        return plot::svg(report::overlay_figure(f.shown(), f.fit(i), recording));
      });
  m.def("identify", &identify_all);
  m.def("fit", &fit_one);
  m.def("score", &score_file);
  m.def("fitted_of_file", &fitted_of_file);
}

}  // namespace bristle::python

/// Our side: simulate() as a user calls it, with all its rows, events and energies.
#include <stdexcept>
#include <utility>

#include "bristle/batch.hpp"
#include "bristle/simulate.hpp"
#include "worker.hpp"
#if __has_include("bristle/simulate/ensemble.hpp")
#include "bristle/simulate/ensemble.hpp"
#define BRISTLE_HAS_ENSEMBLES 1
#else
#define BRISTLE_HAS_ENSEMBLES 0
#endif

using namespace bristle;
using peers::Case;
using peers::Law;

namespace {

Table parameters(const Case& p) {
  Table t{{"Fc", p.Fc}};
  if (p.law == Law::coulomb) t.push_back({"Fs", p.Fs});
  if (p.law != Law::coulomb && p.law != Law::dahl) {
    t.push_back({"Fs", p.Fs});
    t.push_back({"vs", p.vs});
  }
  if (p.bristles()) t.push_back({"sigma0", p.sigma0});
  if (p.law == Law::lugre) t.push_back({"sigma1", p.sigma1});
  if (p.law == Law::gms) {
    const peers::GmsElements e;
    t.push_back({"k", std::vector<double>(e.k, e.k + peers::GmsElements::n)});
    t.push_back({"nu", std::vector<double>(e.nu, e.nu + peers::GmsElements::n)});
    t.push_back({"C", e.C});
  }
  if (p.kv > 0) t.push_back({"kv", p.kv});
  return t;
}

std::unique_ptr<AnyContact> contact(const Case& p) {
  auto made = make(peers::name_of(p.law), parameters(p));
  for (const auto& problem : made.problems) throw std::runtime_error(problem.line());
  return std::move(made.contact);
}

/// A library without chains reports this problem as failed.
template <class E> void set_chain(E& e, const Case& p) {
  if constexpr (requires { e.chain.blocks = p.blocks; }) {
    e.kind = decltype(e.kind)::chain;
    e.chain.blocks = p.blocks;
    e.chain.coupling = p.coupling;
  } else {
    throw std::runtime_error("no chains in this library");
  }
}

Experiment experiment(const Case& p, double rtol) {
  Experiment e;
  e.body.mass = p.mass;
  e.body.stiffness = p.stiffness;
  e.contacts.push_back({"", contact(p)});
  e.drive = {DriveOf::position, {{Ramp{p.pull, 0}, 0}}, 0};
  if (p.disk()) {
    e.kind = SystemKind::roller;
    e.disk.radius = p.radius;
  }
  if (p.blocks > 1) set_chain(e, p);
  if (p.motion) {
    e.kind = SystemKind::prescribed;
    e.drive = {DriveOf::velocity, {}, 0};
    for (const auto& tone : peers::multisine())
      e.drive.terms.push_back({Sine{tone.amplitude, tone.frequency, tone.phase, 0}, 0});
  }
  e.solver.duration = p.duration;
  e.solver.output_step = p.output_step;
  e.solver.rtol = rtol;
  return e;
}

void take(const Run& run, const Case& p, std::size_t at, std::size_t cases, peers::Solved& solved) {
  solved.steps += run.summary.steps;
  std::vector<const double*> columns;
  auto add = [&](const std::string& name) { columns.push_back(run.trace.find(name)->values.data()); };
  if (p.motion) add("F");
  for (int b = 1; b <= (p.motion ? 0 : p.blocks); ++b) {
    const std::string number = b > 1 ? std::to_string(b) : "";
    add("x" + number);
    add("v" + number);
  }
  const std::size_t n = run.trace.rows(), width = columns.size();
  solved.rows.resize(cases * n * width);
  for (std::size_t c = 0; c < width; ++c) {
    double* to = solved.rows.data() + at * n * width + c;
    for (std::size_t i = 0; i < n; ++i) to[i * width] = columns[c][i];
  }
}

/// One contact along sampled velocities, each held for a millisecond: those in the middle of it.
std::vector<double> samples(const Case& p) {
  std::vector<double> v(static_cast<std::size_t>(p.rows() - 1));
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (const auto& tone : peers::multisine())
      v[i] +=
          tone.amplitude *
          std::sin(6.283185307179586 * tone.frequency * (static_cast<double>(i) + 0.5) * p.output_step + tone.phase);
  }
  return v;
}

class Job {
 public:
  explicit Job(const peers::Asked& asked) : problems_(asked.problems), method_(asked.method) {
    for (const Case& p : problems_) experiments_.push_back(experiment(p, asked.rtol));
    const Case& first = problems_.front();
    if (method_ == "along") {
      auto made = make_batch<double>(peers::name_of(first.law), parameters(first), 1);
      batch_ = std::move(made.batch);
    }
    if (method_ == "along" || method_ == "step") {
      contact_ = contact(first);
      v_ = samples(first);
    }
  }
  void operator()(peers::Solved& solved) {
    if (method_ == "along") {
      solved.rows.assign(v_.size() + 1, 0);
      batch_->reset();
      batch_->along(v_, problems_.front().output_step, std::span(solved.rows).subspan(1));
    } else if (method_ == "step") {
      solved.rows.assign(v_.size() + 1, 0);
      contact_->reset();
      for (std::size_t i = 0; i < v_.size(); ++i)
        solved.rows[i + 1] = contact_->step({.v = v_[i]}, problems_.front().output_step);
    } else if (method_ == "lanes") {
#if BRISTLE_HAS_ENSEMBLES
      simulate_all(experiments_, {.threads = 1, .take = [&](std::size_t i, Outcome&& o) {
                                    if (!o.failure.empty()) throw std::runtime_error(o.failure);
                                    take(o.run, problems_[i], i, experiments_.size(), solved);
                                  }});
#else
      throw std::runtime_error("no ensembles in this library");
#endif
    } else {
      for (std::size_t i = 0; i < experiments_.size(); ++i)
        take(simulate(experiments_[i]), problems_[i], i, experiments_.size(), solved);
    }
  }

 private:
  std::vector<Case> problems_;
  std::string method_;
  std::vector<Experiment> experiments_{};
  std::unique_ptr<Batch<double>> batch_{};
  std::unique_ptr<AnyContact> contact_{};
  std::vector<double> v_{};
};

/// For the peers that are not written in C++.
void print_case(const Case& p, const char* before) {
  std::printf(
      "%s{\"name\": \"%s\", \"law\": \"%s\", \"mass\": %.17g, \"stiffness\": %.17g, \"pull\": %.17g, \"Fc\": %.17g, "
      "\"Fs\": %.17g, \"vs\": %.17g, \"sigma0\": %.17g, \"sigma1\": %.17g, \"kv\": %.17g, \"duration\": %.17g, "
      "\"output_step\": %.17g, \"radius\": %.17g, \"inertia\": %.17g, \"blocks\": %d, \"coupling\": %.17g, \"motion\": %s}",
      before, p.name.c_str(), peers::name_of(p.law), p.mass, p.stiffness, p.pull, p.Fc, p.Fs, p.vs, p.sigma0, p.sigma1,
      p.kv, p.duration, p.output_step, p.radius, p.inertia(), p.blocks, p.coupling, p.motion ? "true" : "false");
}
void print_problems() {
  const char* before = "{\"problems\": [\n";
  for (const Case& p : peers::problems()) {
    print_case(p, before);
    before = ",\n";
  }
  for (int i = 0; i < 10; ++i) print_case(peers::ensemble_member(i), before);
  before = "],\n\"multisine\": [";
  for (const auto& tone : peers::multisine()) {
    std::printf("%s[%.17g, %.17g, %.17g]", before, tone.amplitude, tone.frequency, tone.phase);
    before = ", ";
  }
  const peers::GmsElements e;
  std::printf("],\n\"gms\": {\"C\": %.17g, \"elements\": [", e.C);
  for (int i = 0; i < peers::GmsElements::n; ++i) std::printf("%s[%.17g, %.17g]", i > 0 ? ", " : "", e.k[i], e.nu[i]);
  std::printf("]}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "problems") {
    print_problems();
    return 0;
  }
  return peers::serve([](const peers::Asked& asked) { return Job(asked); });
}

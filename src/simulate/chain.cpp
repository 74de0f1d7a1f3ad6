#include "chain.hpp"

#include <algorithm>
#include <cmath>

#include "chain_blocks.hpp"
#include "hybrid.hpp"

namespace bristle {
namespace {
enum Place { time = 0, applied = 4, drive = 5 };  // of the columns of a system
}

Chain::Chain(const Experiment& e) : mass_(e.body.mass) {
  const ChainParams& c = e.chain;
  const auto n = static_cast<std::size_t>(c.blocks);
  Blocks blocks = blocks_of(e);
  x0_ = std::move(blocks.x0);
  masses_ = std::move(blocks.mass);
  link_ = std::move(blocks.link);
  ring_ = c.ring();
  links_.coupling = c.coupling;
  links_.damping = c.coupling_damping;
  pulls_all_ = c.pulled == Pulled::all;
  const auto length = static_cast<std::ptrdiff_t>(n);
  auto make = [&](std::size_t b, const Experiment& of) {
    Links links = links_;
    links.left = b > 0 || ring_;
    links.right = b + 1 < n || ring_;
    links.to_left = b > 0 ? -1 : length - 1;
    links.to_right = b + 1 < n ? 1 : 1 - length;
    links.coupling = link_[b];
    links.coupling_right = link_[b + 1];
    links.pulled = pulls(b);
    links.push = blocks.pull[b];
    return std::make_unique<System>(of, links);
  };
  first_ = make(0, e);
  if (n > 1) last_ = make(n - 1, e);
  if (n > 2) inner_ = make(1, e);
  for (std::size_t b = 0; !c.spread.widths.empty() && b < n; ++b) {
    Experiment own = copy_of(e);
    own.body.mass = masses_[b];
    own.body.stiffness = pulls(b) ? blocks.stiffness[b] : e.body.stiffness;
    own.body.damping = pulls(b) ? blocks.damping[b] : e.body.damping;
    own.chain.potential.U0 = blocks.U0[b];
    if (!blocks.contacts.empty()) own.contacts.front().contact = std::move(blocks.contacts[b]);
    own_.push_back(make(b, own));
  }
  const System& system = *first_;
  const ContactFlow& contact = system.contact();
  memory_.assign(n, system.memory());
  contact_size_ = (contact.memory_size() + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
  contact_memory_ = std::make_unique<std::max_align_t[]>(n * contact_size_);
  for (std::size_t body = 1; body <= n; ++body) {
    contact.begin_memory(contact_memory(body));
    memory_[body - 1].place = static_cast<double>(body - 1) * c.spacing;
  }
  each_ = system.size();
  scale_.reserve(n * each_);
  largest_.reserve(n * each_);
  for (std::size_t i = 0; i < n * each_; ++i) {
    const bool state = i % each_ < system.states();
    scale_.push_back(state ? system.scales()[i % each_] : system.work_scale());
    largest_.push_back(state ? system.largest()[i % each_] : inf);
  }
  const bool usual = c.boundary == Boundary::open && !c.potential.present() && own_.empty();
  if (usual && !e.load && e.drive.of != DriveOf::velocity && e.contacts.front().name.empty())
    plain_ = spring_of(e.body);
  const double stiffest = e.body.stiffness + (n > 1 ? 4 * c.coupling : 0);
  slow_time_ = stiffest > 0 ? two_pi / std::sqrt(stiffest / mass_) : e.solver.duration;
  shown_.assign(e.solver.record.begin(), e.solver.record.end());
  std::sort(shown_.begin(), shown_.end());
  for (std::size_t body = 1; e.solver.record.empty() && body <= n; ++body) shown_.push_back(body);
  row_.resize(system.columns().size());
}

std::vector<double> Chain::start() const {
  const std::vector<double> one = first().start();
  std::vector<double> y;
  y.reserve(size());
  for (std::size_t b = 0; b < bodies(); ++b) {
    y.insert(y.end(), one.begin(), one.end());
    y[velocity_of(b + 1) - 1] = x0_[b];
  }
  return y;
}

std::vector<std::string> Chain::state_names() const {
  std::vector<std::string> names;
  for (std::size_t body = 1; body <= bodies(); ++body) {
    for (const std::string& name : first().state_names()) names.push_back(name_in_chain(name, body));
    names.resize(body * each_);  // works have none
  }
  return names;
}

bool Chain::may_oscillate() const {
  for (std::size_t body = 1; body <= bodies(); ++body) {
    if (of(body).may_oscillate()) return true;
  }
  return false;
}

const std::vector<Change>& Chain::enter_piece(double t, double end, std::span<double> y) {
  changes_.clear();
  for (std::size_t b = 0; b < bodies(); ++b)
    change(b + 1, [&](System& system) { system.leave_piece(t, window(y, b)); });
  for (std::size_t b = 0; b < bodies(); ++b) {
    changes_.push_back(change(b + 1, [&](System& system) { return system.begin_piece(t, end, window(y, b)); }));
    changes_.back().body = b + 1;
  }
  return changes_;
}

void Chain::rates(double t, const double* y, double* f) const {
  if (options_) options_->heed();
  for (std::size_t b = 0; b < bodies(); ++b) block(b).rates(t, y + b * each_, f + b * each_);
}

void Chain::jacobian(double t, const double* y, Jacobian& j) const {
  const std::size_t n = size(), states = first().states(), x = states - 2, v = states - 1, damper = states + 1;
  j.columns = n;
  j.a.assign(n * n, 0.0);
  j.t.assign(n, 0.0);
  for (std::size_t b = 0; b < bodies(); ++b) {
    const std::size_t from = b * each_;
    Jacobian& own = block_jacobian_;
    block(b).jacobian(t, y + from, own);
    for (std::size_t i = 0; i < each_; ++i) {
      std::copy_n(own.row(i), states, j.row(from + i) + from);
      j.t[from + i] = own.t[i];
    }
    auto lean_on = [&](std::size_t neighbour, double coupling) {  // two links may lead to the same block
      const std::size_t other = neighbour * each_;
      j.row(from + damper)[other + v] += links_.damping * (y[other + v] - y[from + v]);
      if (block(b).holding()) return;
      j.row(from + v)[other + x] += coupling / masses_[b];
      j.row(from + v)[other + v] += links_.damping / masses_[b];
    };
    if (b > 0 || ring_) lean_on(b > 0 ? b - 1 : bodies() - 1, link_[b]);
    if (b + 1 < bodies() || ring_) lean_on(b + 1 < bodies() ? b + 1 : 0, link_[b + 1]);
  }
}

void Chain::guards(double t, const double* y, std::vector<Guard>& out) const {
  if (options_) options_->heed();
  out.clear();
  for (std::size_t body = 1; body <= bodies(); ++body) add_guards_of(body, t, y, out);
}

void Chain::add_guards_of(std::size_t body, double t, const double* y, std::vector<Guard>& out) const {
  const std::size_t known = out.size();
  of(body).add_guards(t, y + at(body), out);
  for (std::size_t i = known; i < out.size(); ++i) out[i].body = body;
}

Change Chain::jump(const Guard& g, double t, std::span<double> y, double ahead_t, const double* ahead_y) {
  Change what = change(
      g.body, [&](System& system) { return system.jump(g, t, window(y, g.body - 1), ahead_t, ahead_y + at(g.body)); });
  what.body = g.body;
  return what;
}

bool Chain::within_bounds(const double* from, const double* to) const {
  for (std::size_t b = 0; b < bodies(); ++b) {
    if (!block(b).within_bounds(from + b * each_, to + b * each_)) return false;
  }
  return true;
}

void Chain::momentum(const double* y, double* out) const {
  for (std::size_t b = 0; b < bodies(); ++b) out[b] = masses_[b] * y[velocity_of(b + 1)];
}
void Chain::applied_forces(double t, const double* y, double* out) const {
  for (std::size_t b = 0; b < bodies(); ++b) block(b).applied_forces(t, y + b * each_, out + b);
}

/// The drive is of no block: it is always there, in its place among those of the first or after t.
std::vector<Column> Chain::columns() const {
  const std::vector<Column> one = first().columns();
  std::vector<Column> all;
  for (const std::size_t body : shown_) {
    if (body == 1) {
      all = one;
      continue;
    }
    if (all.empty()) all = {one[time], one[drive]};
    for (std::size_t i = 1; i < one.size(); ++i) {
      if (i != applied && i != drive) all.push_back({name_in_chain(one[i].name, body), one[i].unit});
    }
  }
  return all;
}

void Chain::row(double t, const double* y, double* out) const {
  double* const begin = out;
  for (const std::size_t body : shown_) {
    of(body).row(t, y + at(body), row_.data());
    if (body == 1) {
      out = std::copy(row_.begin(), row_.end(), out);
      continue;
    }
    if (out == begin) {
      *out++ = t;
      *out++ = first().drive_at(t).value;
    }
    out = std::copy(row_.begin() + 1, row_.begin() + applied, out);
    out = std::copy(row_.begin() + drive + 1, row_.end(), out);
  }
}

double Chain::coupling_energy(const double* y) const {
  double sum = 0;
  const double* const x = y + first().states() - 2;
  for (std::size_t b = 1; b < bodies(); ++b) sum += link_[b] * std::pow(x[b * each_] - x[(b - 1) * each_], 2) / 2;
  if (ring_) sum += link_[0] * std::pow(x[0] - x[(bodies() - 1) * each_], 2) / 2;
  return sum;
}

void Chain::begin_energy(std::span<const double> y) {
  for (std::size_t b = 0; b < bodies(); ++b) {
    change(b + 1, [&](System& system) { system.begin_energy(y.subspan(b * each_, each_)); });
  }
  initial_coupling_ = coupling_energy(y.data());
}

EnergyBalance Chain::energy(double t, std::span<const double> y) const {
  EnergyBalance all;
  for (std::size_t b = 0; b < bodies(); ++b) {
    const EnergyBalance e = block(b).energy(t, y.subspan(b * each_, each_));
    all.drive += e.drive;
    all.kinetic += e.kinetic;
    all.spring += e.spring;
    all.damper += e.damper;
    all.friction += e.friction;
  }
  all.spring += coupling_energy(y.data()) - initial_coupling_;
  all.error = missing_part(all);
  return all;
}

void run_hybrid(Chain& chain, const Experiment& e, Recorder& out) {
  const bool stiff = e.method == Method::rodas || (e.method == Method::automatic && chain.stiff());
  std::unique_ptr<StepperOf<Chain>> stepper = stiff ? make_chain_lanes(chain) : make_dopri5(chain);
  if (!stepper) stepper = make_chain_rodas(chain);
  chain.heed(out.options);
  HybridRunOf<Chain> run(chain, e, *stepper, out);
  while (run.start_step()) {
    const double h = run.choose();
    run.judge(h, stepper->attempt(h));
  }
  run.finish();
}

}  // namespace bristle

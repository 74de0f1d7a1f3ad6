#include "chain.hpp"

#include <algorithm>
#include <cmath>

#include "hybrid.hpp"

namespace bristle {

Chain::Chain(const Experiment& e) : mass_(e.body.mass) {
  const ChainParams& c = e.chain;
  const auto n = static_cast<std::size_t>(c.blocks);
  links_.coupling = c.coupling;
  links_.damping = c.coupling_damping;
  for (std::size_t b = 0; b < n; ++b) {
    Links links = links_;
    links.left = b > 0;
    links.right = b + 1 < n;
    links.pulled = b == 0 || c.pulled == Pulled::all;
    blocks_.push_back(std::make_unique<World>(e, links));
    const World& world = *blocks_.back();
    each_ = world.size();
    for (std::size_t i = 0; i < each_; ++i) {
      const bool state = i < world.states();
      scale_.push_back(state ? world.scales()[i] : world.work_scale());
      largest_.push_back(state ? world.largest()[i] : inf);
      names_.push_back(state ? name_in_chain(world.state_names()[i], b + 1) : "");
    }
  }
  if (!e.load && e.drive.of != DriveOf::velocity && e.contacts.front().name.empty())
    plain_ = {
        mass_, e.body.stiffness, e.body.damping, e.body.rest_length, e.body.temperature, e.drive.of == DriveOf::force};
  pulls_all_ = c.pulled == Pulled::all;
  const double stiffest = e.body.stiffness + (n > 1 ? 4 * c.coupling : 0);
  slow_time_ = stiffest > 0 ? two_pi / std::sqrt(stiffest / mass_) : e.solver.duration;
  row_.resize(first().columns().size());
}

std::vector<double> Chain::start() const {
  std::vector<double> y;
  y.reserve(size());
  for (const auto& b : blocks_) {
    const std::vector<double> one = b->start();
    y.insert(y.end(), one.begin(), one.end());
  }
  return y;
}

bool Chain::may_oscillate() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const auto& b) { return b->may_oscillate(); });
}

const std::vector<Change>& Chain::enter_piece(double t, double end, std::span<double> y) {
  changes_.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    changes_.push_back(blocks_[b]->enter_piece(t, end, window(y, b)));
    changes_.back().body = b + 1;
  }
  return changes_;
}

void Chain::rates(double t, const double* y, double* f) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b]->rates(t, y + b * each_, f + b * each_);
}

void Chain::jacobian(double t, const double* y, Jacobian& j) const {
  const std::size_t n = size(), states = first().states(), x = states - 2, v = states - 1, damper = states + 1;
  j.columns = n;
  j.a.assign(n * n, 0.0);
  j.t.assign(n, 0.0);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::size_t from = b * each_;
    Jacobian& own = block_jacobian_;
    blocks_[b]->jacobian(t, y + from, own);
    for (std::size_t i = 0; i < each_; ++i) {
      std::copy_n(own.row(i), states, j.row(from + i) + from);
      j.t[from + i] = own.t[i];
    }
    auto lean_on = [&](std::size_t other) {
      j.row(from + damper)[other + v] = links_.damping * (y[other + v] - y[from + v]);
      if (blocks_[b]->holding()) return;
      j.row(from + v)[other + x] = links_.coupling / mass_;
      j.row(from + v)[other + v] = links_.damping / mass_;
    };
    if (b > 0) lean_on(from - each_);
    if (b + 1 < blocks_.size()) lean_on(from + each_);
  }
}

void Chain::guards(double t, const double* y, std::vector<Guard>& out) const {
  out.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const std::size_t known = out.size();
    blocks_[b]->add_guards(t, y + b * each_, out);
    for (std::size_t i = known; i < out.size(); ++i) out[i].body = b + 1;
  }
}

Change Chain::jump(const Guard& g, double t, std::span<double> y, double ahead_t, const double* ahead_y) {
  Change change = blocks_[g.body - 1]->jump(g, t, window(y, g.body - 1), ahead_t, ahead_y + at(g.body));
  change.body = g.body;
  return change;
}

bool Chain::within_bounds(const double* from, const double* to) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (!blocks_[b]->within_bounds(from + b * each_, to + b * each_)) return false;
  }
  return true;
}

void Chain::momentum(const double* y, double* out) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) out[b] = mass_ * y[velocity_of(b + 1)];
}
void Chain::applied_forces(double t, const double* y, double* out) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b]->applied_forces(t, y + b * each_, out + b);
}

/// Of every block but the first: x, v, F and the states, with its number.
std::vector<Column> Chain::columns() const {
  const std::vector<Column> one = first().columns();
  std::vector<Column> all = one;
  for (std::size_t b = 1; b < blocks_.size(); ++b) {
    for (std::size_t i = 1; i < one.size(); ++i) {
      if (i == 4 || i == 5) continue;  // F_app, drive
      all.push_back({name_in_chain(one[i].name, b + 1), one[i].unit});
    }
  }
  return all;
}

void Chain::row(double t, const double* y, double* out) const {
  first().row(t, y, out);
  out += row_.size();
  for (std::size_t b = 1; b < blocks_.size(); ++b) {
    blocks_[b]->row(t, y + b * each_, row_.data());
    out = std::copy(row_.begin() + 1, row_.begin() + 4, out);
    out = std::copy(row_.begin() + 6, row_.end(), out);
  }
}

double Chain::coupling_energy(const double* y) const {
  double sum = 0;
  for (std::size_t i = first().states() - 2; i + each_ < size(); i += each_)
    sum += links_.coupling * std::pow(y[i] - y[i + each_], 2) / 2;
  return sum;
}

void Chain::begin_energy(std::span<const double> y) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b]->begin_energy(y.subspan(b * each_, each_));
  initial_coupling_ = coupling_energy(y.data());
}

EnergyBalance Chain::energy(double t, std::span<const double> y) const {
  EnergyBalance all;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const EnergyBalance e = blocks_[b]->energy(t, y.subspan(b * each_, each_));
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
  HybridRunOf<Chain> run(chain, e, *stepper, out);
  while (run.start_step()) {
    const double h = run.choose();
    run.judge(h, stepper->attempt(h));
  }
  run.finish();
}

}  // namespace bristle

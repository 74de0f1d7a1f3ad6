#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stepper.hpp"
#include "system.hpp"

namespace bristle {

/// A row of equal blocks that lean on their neighbours. States in one array, block by block, each with its three work
/// integrals. Blocks at the ends and between them are three systems at most; what sets one block apart from another of its
/// kind is its memory.
class Chain {
 public:
  explicit Chain(const Experiment& experiment);

  static constexpr bool may_be_prescribed = false;
  static constexpr bool prescribed() { return false; }
  std::size_t bodies() const { return memory_.size(); }
  std::size_t velocity_of(std::size_t body) const { return (body - 1) * each_ + first().states() - 1; }
  double position_of(std::size_t body, const double* y) const { return y[velocity_of(body) - 1]; }
  /// Of a block and of those it leans on: all that its equations and guards read.
  States states_of(std::size_t body) const {
    if (ring_ && (body == 1 || body == bodies())) return {0, size()};
    return {body > 1 ? at(body - 1) : 0, std::min(at(body) + 2 * each_, size())};
  }
  /// Good until another block is asked for.
  const System& block(std::size_t b) const { return of(b + 1); }
  std::size_t each() const { return each_; }  // states and works of one block

  /// The works count as states that nothing depends on.
  std::size_t states() const { return size(); }
  std::size_t size() const { return each_ * bodies(); }
  std::vector<double> start() const;
  const std::vector<double>& scales() const { return scale_; }
  const std::vector<double>& largest() const { return largest_; }
  std::vector<std::string> state_names() const;
  double longest_step() const { return first().longest_step(); }
  double load(double t) const { return first().load(t); }
  double caution() const { return first().caution(); }
  double slow_time() const { return slow_time_; }  // period of the fastest mode on the springs
  bool may_oscillate() const;
  bool stiff() const { return first().stiff(); }
  bool smooth_law() const { return first().smooth_law(); }

  double next_corner(double t) const { return first().next_corner(t); }
  bool corner_shown(double t) const { return first().corner_shown(t); }
  bool shows(std::size_t body) const { return std::binary_search(shown_.begin(), shown_.end(), body); }
  const std::vector<Change>& enter_piece(double t, double end, std::span<double> y);
  void rates(double t, const double* y, double* f) const;
  void jacobian(double t, const double* y, Jacobian& j) const;  // dense
  const Links& links() const { return links_; }
  double mass() const { return mass_; }
  double mass(std::size_t b) const { return masses_[b]; }
  /// Stiffness of the link before block b, or after the last one.
  double link(std::size_t b) const { return link_[b]; }
  bool ring() const { return ring_; }
  /// The spring of the drive where nothing but contacts and links acts besides it.
  const std::optional<Spring<double>>& plain() const { return plain_; }
  bool pulls(std::size_t b) const { return b == 0 || pulls_all_; }

  bool may_switch() const { return first().may_switch(); }
  bool nothing_to_tell(std::size_t body, double v0, double v1, double near) const {
    return of(body).nothing_to_tell(1, v0, v1, near);
  }
  void guards(double t, const double* y, std::vector<Guard>& out) const;
  void guards_of(std::size_t body, double t, const double* y, std::vector<Guard>& out) const {
    out.clear();
    add_guards_of(body, t, y, out);
  }
  bool at_rest_guard(const Guard& g, double t, const double* y) const {
    return of(g.body).at_rest_guard(g, t, y + at(g.body));
  }
  void take_side(std::size_t body, int side) { memory_[body - 1].side = side; }
  bool follows_slip(const Guard& g, const double* y) const { return of(g.body).follows_slip(g, y + at(g.body)); }
  Change jump(const Guard& g, double t, std::span<double> y, double ahead_t, const double* ahead_y);
  double slip_noise(double rtol) const { return first().slip_noise(rtol); }
  bool within_bounds(const double* from, const double* to) const;
  double knee_velocity() const { return first().knee_velocity(); }
  double force_scale() const { return first().force_scale(); }
  double work_scale() const { return first().work_scale(); }
  double force_size() const { return first().force_size(); }
  double momentum_bound() const {  // of all blocks together
    return std::sqrt(static_cast<double>(bodies())) * first().momentum_bound();
  }
  double stick_margin(double t, const double* y, std::size_t body) const {
    return of(body).stick_margin(t, y + at(body));
  }

  std::size_t momenta() const { return bodies(); }
  void momentum(const double* y, double* out) const;
  void net_forces(const double* rates, double* out) const { momentum(rates, out); }
  void applied_forces(double t, const double* y, double* out) const;

  /// Numbers of the blocks that have columns, rising.
  const std::vector<std::size_t>& shown() const { return shown_; }
  std::vector<Column> columns() const;
  void row(double t, const double* y, double* out) const;
  /// Asked on every pass over the blocks: there may be many.
  void heed(const RunOptions& options) { options_ = &options; }
  EnergyBalance energy(double t, std::span<const double> y) const;
  void begin_energy(std::span<const double> y);

 private:
  const System& first() const { return *first_; }
  System& of(std::size_t body) const {
    System& system = !own_.empty() ? *own_[body - 1] : body == 1 ? *first_ : body == bodies() ? *last_ : *inner_;
    system.recall(memory_[body - 1], contact_memory(body));
    return system;
  }
  void* contact_memory(std::size_t body) const { return contact_memory_.get() + (body - 1) * contact_size_; }
  /// Something that a block may remember.
  template <class F> auto change(std::size_t body, F&& f) {
    System& system = of(body);
    struct Keeper {
      System& system;
      System::Memory& memory;
      ~Keeper() { memory = system.memory(); }
    } keeper{system, memory_[body - 1]};
    return f(system);
  }
  std::size_t at(std::size_t body) const { return (body - 1) * each_; }
  std::span<double> window(std::span<double> y, std::size_t b) const { return y.subspan(b * each_, each_); }
  void add_guards_of(std::size_t body, double t, const double* y, std::vector<Guard>& out) const;
  double coupling_energy(const double* y) const;

  std::unique_ptr<System> first_{}, inner_{}, last_{};
  std::vector<std::unique_ptr<System>> own_{};  // of every block, where parameters differ
  std::vector<double> x0_{}, masses_{}, link_{};
  bool ring_ = false;
  std::vector<System::Memory> memory_{};
  std::size_t contact_size_{};  // in units of the strictest alignment
  std::unique_ptr<std::max_align_t[]> contact_memory_{};
  std::vector<std::size_t> shown_{};
  Links links_{};
  std::optional<Spring<double>> plain_{};
  bool pulls_all_ = false;
  std::size_t each_{};
  double mass_{}, slow_time_{}, initial_coupling_{};
  std::vector<double> scale_{}, largest_{};
  std::vector<Change> changes_{};
  const RunOptions* options_ = nullptr;
  mutable std::vector<double> row_{};
  mutable Jacobian block_jacobian_{};
};

/// All blocks in the lanes of vectors; nullptr where the contact is not made for that.
std::unique_ptr<StepperOf<Chain>> make_chain_lanes(const Chain& chain);
std::unique_ptr<StepperOf<Chain>> make_chain_rodas(const Chain& chain);

}  // namespace bristle

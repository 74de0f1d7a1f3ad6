#pragma once
#include <fmt/format.h>

#include "chain_field.hpp"

namespace bristle {

/// Runs clusters over an interval. The states of the field are those of the end of the interval for clusters that were run, and
/// of its start for the others.
template <class C> class ClusterRun {
 public:
  using Field = EventField<C>;
  static constexpr std::size_t nothing = Field::nothing;

  ClusterRun(const Experiment& e, Field& field, Recorder& out, const std::vector<char>& sampled)
      : e_(e),
        f_(field),
        out_(out),
        sampled_(sampled),
        n_(field.row.n),
        owner_(n_ + 2),
        saved_(n_ + 2),
        x0_(field.row.x),
        v0_(field.row.v),
        dir0_(field.dir),
        gap_(n_ + 2),
        impulse_(n_ + 2),
        net_(n_ + 2),
        mid_x_(n_ + 2),
        mid_v_(n_ + 2),
        mid_a_(n_ + 2),
        step_of_(n_ + 2, field.slow_time / 100) {}

  /// Takes a block with its neighbours for cluster `id`; the cluster that has one of them already, or `id`.
  std::size_t claim(Cluster& c, std::size_t id, std::size_t block) {
    for (const std::size_t j : {f_.row.left(block), block, f_.row.right(block)}) {
      if (j == nothing || owner_[j] == id + 1) continue;
      if (owner_[j] != 0) return owner_[j] - 1;
      owner_[j] = id + 1;
      c.zone.push_back(j);
    }
    return id;
  }
  /// Back to the start of the interval.
  void undo(Cluster& c) {
    for (const Cluster::Saved& m : c.moved) {
      f_.row.x[m.block] = x0_[m.block];
      f_.row.v[m.block] = v0_[m.block];
      f_.dir[m.block] = dir0_[m.block];
      gap_[m.block] = m.gap;
      impulse_[m.block] = m.impulse;
      saved_[m.block] = 0;
    }
    close(f_.row.x, f_.row.v);
    for (const std::size_t j : c.zone) owner_[j] = 0;
    c = {.begin = std::move(c.begin)};
  }
  /// Makes the states of the end those of the start.
  void accept(const Cluster& c) {
    for (const Cluster::Saved& m : c.moved) {
      x0_[m.block] = f_.row.x[m.block];
      v0_[m.block] = f_.row.v[m.block];
      dir0_[m.block] = f_.dir[m.block];
      saved_[m.block] = 0;
    }
    for (const std::size_t j : c.zone) owner_[j] = 0;
    close(x0_, v0_);
  }
  void set_start(std::size_t i) {
    x0_[i] = f_.row.x[i];
    v0_[i] = f_.row.v[i];
    dir0_[i] = f_.dir[i];
    step_of_[i] = f_.slow_time / 100;
    close(x0_, v0_);
  }

  /// From s to `until`; if the cluster meets another one, the number of that one, and `id` otherwise.
  std::size_t run(Cluster& c, std::size_t id, double s, double until) {
    c_ = &c;
    id_ = met_ = id;
    s_ = s;
    until_ = until;
    changed_ = true;
    h_ = inf;
    movers_.clear();
    for (const std::size_t i : c.begin) {
      if (f_.dir[i] == 0) continue;
      movers_.push_back(i);
      h_ = std::min(h_, step_of_[i]);
      save(i);
    }
    if (h_ == inf) h_ = f_.slow_time / 100;
    std::sort(movers_.begin(), movers_.end());
    while (s_ < until_ && met_ == id_) {
      if (changed_) arrange();
      if (movers_.empty() && release_ >= until_) break;
      advance();
    }
    for (const std::size_t i : movers_) step_of_[i] = h_;
    c.movers = movers_;
    return met_;
  }

  const std::vector<double>& start_x() const { return x0_; }
  const std::vector<double>& start_v() const { return v0_; }
  const std::vector<int>& start_dir() const { return dir0_; }
  double momentum_error() const {
    double most = 0;
    for (std::size_t i = 1; i <= n_; ++i) {
      const double size = std::max(impulse_[i], largest_momentum_);
      if (size > 0) most = std::max(most, std::abs(gap_[i]) / size);
    }
    return most;
  }

 private:
  double now() const { return f_.base + s_; }
  void close(std::vector<double>& x, std::vector<double>& v) const {
    f_.row.close(x);
    f_.row.close(v);
  }

  void save(std::size_t i) {
    if (saved_[i]) return;
    saved_[i] = 1;
    c_->moved.push_back({i, gap_[i], impulse_[i]});
  }
  void turn(std::size_t i, int dir) {
    f_.dir[i] = dir;
    c_->turns.push_back({s_, i, dir, f_.row.x[i]});
    changed_ = true;
  }
  /// Work of the drive on a block that stands at another place than at the start of the interval, until its end.
  void stand(std::size_t i, double sign) {
    c_->work.drive -= sign * f_.drive.rate * f_.row.stiffness[i] * (f_.row.x[i] - x0_[i]) * (until_ - s_);
  }
  void start(std::size_t i) {
    save(i);
    stand(i, -1);
    turn(i, f_.applied(i, s_) > 0 ? 1 : -1);
    movers_.insert(std::lower_bound(movers_.begin(), movers_.end(), i), i);
    met_ = claim(*c_, id_, i);
  }
  void stop(std::size_t i) {
    f_.row.v[i] = 0;
    close(f_.row.x, f_.row.v);
    turn(i, 0);
    movers_.erase(std::lower_bound(movers_.begin(), movers_.end(), i));
    stand(i, 1);
  }

  /// Ranges of moving blocks, their stuck neighbours, and the next release of any other block of the zone by the drive: a block
  /// outside of the zone stands, since no other cluster can move it without claiming its neighbours.
  void arrange() {
    ranges_.clear();
    for (const std::size_t i : movers_) {
      if (!ranges_.empty() && ranges_.back().to + 1 == i) {
        ranges_.back().to = i;
      } else {
        ranges_.push_back({i, i});
      }
    }
    edges_.clear();
    release_ = inf;
    for (const std::size_t i : c_->zone) {
      if (f_.dir[i] != 0) continue;
      if (f_.moves(f_.row.left(i)) || f_.moves(f_.row.right(i))) {
        edges_.push_back(i);
        f_.sx[i] = mid_x_[i] = f_.row.x[i];
        f_.sv[i] = mid_v_[i] = 0;
      } else {
        const double at = s_ + f_.release_in(i, s_);
        if (at < release_) release_ = at, next_ = i;
      }
    }
    std::sort(edges_.begin(), edges_.end());
    close(f_.sx, f_.sv);
    close(f_.row.x, f_.row.v);
    f_.accelerate(ranges_, f_.row.x, f_.row.v, s_, f_.kv[0]);
    changed_ = false;
  }
  /// One step of all moving blocks, up to the first event in it.
  void advance() {
    const double left = until_ - s_, release_in = release_ - s_;
    if (release_in <= 4 * epsilon<double> * now()) {
      start(next_);
      return;
    }
    if (movers_.empty()) {  // nothing moves until then
      s_ = release_;
      start(next_);
      return;
    }
    double h = std::min({h_, f_.longest, left, release_in});
    if (h < left && left < 2 * h && release_in > left) h = left / 2;
    const bool cut = h < h_;
    if (static_cast<double>(++out_.summary.steps) > e_.solver.max_steps * static_cast<double>(n_))
      throw RunFailed(fmt::format("max_steps exceeded at t = {:.6g} s", now()));
    out_.tick(now(), movers_.size());
    f_.step(ranges_, s_, h);
    out_.summary.evaluations += 6;
    const double err = f_.error(ranges_, h);
    if (!(err <= 1)) {
      ++out_.summary.rejected;
      h_ = h * std::clamp(0.9 * std::pow(err, -0.2), 0.1, 0.9);
      if (!(h_ > 1e-14 * f_.slow_time)) throw RunFailed(fmt::format("step size too small at t = {:.6g} s", now()));
      return;
    }
    const double grown = h * std::clamp(0.9 * std::pow(std::max(err, 1e-6), -0.2), 0.2, 5.0);
    if (!cut || grown < h_) h_ = std::min(grown, f_.longest);
    std::size_t first = nothing;
    double theta = 1;
    for (const auto* list : {&movers_, &edges_}) {
      for (const std::size_t i : *list) {
        const double at = f_.crossing(i, s_, h, theta);
        if (at < theta || (at == theta && first == nothing)) first = i, theta = at;
      }
    }
    settle(h, theta, first, h == left ? until_ : h == release_in ? release_ : s_ + h);
    if (first == nothing) return;
    ++out_.summary.switches;
    if (f_.dir[first] == 0) {
      start(first);
      return;
    }
    f_.row.v[first] = 0;
    close(f_.row.x, f_.row.v);
    const double F = f_.applied(first, s_);
    if (std::abs(F) <= f_.breakaway(first)) {
      stop(first);
    } else {
      turn(first, F > 0 ? 1 : -1);
    }
  }

  /// Accepts the step up to theta: rows, works, momentum, then the states.
  void settle(double h, double theta, std::size_t first, double whole_end) {
    const bool whole = first == nothing;
    const double part = theta * h, end = whole ? whole_end : s_ + part;
    sample(h, f_.base + end);
    BlockRow& row = f_.row;
    step_ = {};
    for (const std::size_t i : movers_) {
      net_[i] = row.mass[i] * row.v[i];  // less all impulses: the gap
      f_.F[i] = f_.slip_force(i, f_.dir[i], row.v[i]);
    }
    take(part * weights[0], row.x, row.v, f_.kv[0]);
    for (std::size_t place = 1; place < 3; ++place) {
      for (const std::size_t i : movers_) {
        const auto p = f_.dense(i, theta * nodes[place], h);
        mid_x_[i] = p.x;
        mid_v_[i] = p.v;
      }
      close(mid_x_, mid_v_);
      f_.accelerate(ranges_, mid_x_, mid_v_, s_ + part * nodes[place], mid_a_, true);
      take(part * weights[place], mid_x_, mid_v_, mid_a_);
    }
    for (const std::size_t i : movers_) {
      const auto p = whole ? typename Field::Point{f_.sx[i], f_.sv[i]} : f_.dense(i, theta, h);
      mid_x_[i] = p.x;
      mid_v_[i] = p.v;
    }
    for (const std::size_t i : movers_) {
      row.x[i] = mid_x_[i];
      row.v[i] = mid_v_[i];
    }
    close(row.x, row.v);
    s_ = end;
    if (whole) {
      for (const MovingRange& r : ranges_)
        std::copy(f_.kv[6].data() + r.from, f_.kv[6].data() + r.to + 1, f_.kv[0].data() + r.from);
    } else {
      f_.accelerate(ranges_, row.x, row.v, s_, f_.kv[0]);
    }
    for (const std::size_t i : movers_) f_.F[i] = f_.slip_force(i, f_.dir[i], row.v[i]);
    take(part * weights[3], row.x, row.v, f_.kv[0]);
    out_.summary.evaluations += 2;
    c_->work.friction += step_.friction;
    c_->work.damper += step_.damper;
    c_->work.drive += step_.pushed - f_.drive.rate * (step_.moved + step_.slowed);
    for (const std::size_t i : movers_) {
      gap_[i] += net_[i] - row.mass[i] * row.v[i];
      largest_momentum_ = std::max(largest_momentum_, std::abs(row.mass[i] * row.v[i]));
    }
  }
  /// For the rows from now to `end`.
  void sample(double h, double end) {
    if (!out_.due(end)) return;
    times_.clear();
    out_.due_times(now(), end, times_);
    for (const double t : times_) {
      const double theta = std::clamp((t - f_.base - s_) / h, 0.0, 1.0);
      for (const std::size_t i : movers_) {
        if (!sampled_[i]) continue;
        const auto p = f_.dense(i, theta, h);
        c_->samples.push_back({t, i, p.x, p.v, f_.dir[i]});
      }
    }
  }
  /// Lobatto's rule of order 6.
  static constexpr std::array nodes{0.0, 0.27639320225002103, 0.72360679774997897, 1.0},
      weights{1. / 12, 5. / 12, 5. / 12, 1. / 12};
  /// One place of a step in the works and impulses, with its share of the time; F has the friction.
  void take(double dt, const std::vector<double>& x, const std::vector<double>& v, const std::vector<double>& a) {
    const BlockRow& row = f_.row;
    for (const std::size_t i : movers_) {
      const double net = row.mass[i] * a[i];
      step_.friction += dt * f_.F[i] * v[i];
      step_.moved += dt * row.stiffness[i] * (x[i] - x0_[i]);
      step_.slowed += dt * row.damping[i] * v[i];
      step_.pushed += dt * row.pull[i] * v[i];
      net_[i] += dt * net;
      impulse_[i] += dt * std::abs(net + f_.F[i]);
    }
    step_.damper += dt * f_.losses(movers_, v);
  }

  const Experiment& e_;
  Field& f_;
  Recorder& out_;
  const std::vector<char>& sampled_;
  const std::size_t n_;
  std::vector<std::size_t> owner_;  // 1 + number of the cluster; 0: none
  std::vector<char> saved_;         // in `moved` of its cluster
  std::vector<double> x0_, v0_;     // at the start of the interval
  std::vector<int> dir0_;
  std::vector<double> gap_, impulse_, net_, mid_x_, mid_v_, mid_a_, step_of_;
  Cluster* c_ = nullptr;
  std::size_t id_{}, met_{}, next_{};
  double s_{}, until_{}, h_{}, release_{}, largest_momentum_{};
  bool changed_ = true;
  std::vector<std::size_t> movers_{}, edges_{};
  std::vector<MovingRange> ranges_{};
  std::vector<double> times_{};
  struct {
    double friction, damper, moved, slowed, pushed;
  } step_{};
};

}  // namespace bristle

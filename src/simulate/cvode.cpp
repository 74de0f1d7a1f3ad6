#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_types.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <memory>

#include "chain.hpp"
#include "momentum.hpp"
#include "record.hpp"

/// CVODE (BDF) with its own root finding: a method for larger systems and an independent check. It shares the equations
/// and the switches with the hybrid run, but neither the integration nor the event location.
namespace bristle {
namespace {

static_assert(std::is_same_v<realtype, double>);

/// W: a System or a Chain.
template <class W> class CvodeRun {
 public:
  CvodeRun(W& system, const Experiment& e, Recorder& out)
      : system_(system), solver_(e.solver), out_(out), y_(system.start()), momentum_(system.momenta()) {
    const auto n = static_cast<sunindextype>(y_.size());
    // At the same tolerance the error of CVODE is about a hundred times that of the other methods.
    const double rtol = std::max(0.01 * solver_.rtol, 1e-13);
    if (SUNContext_Create(nullptr, &context_) != 0) throw RunFailed("CVODE could not be started");
    v_ = N_VNew_Serial(n, context_);
    atol_ = N_VNew_Serial(n, context_);
    matrix_ = SUNDenseMatrix(n, n, context_);
    linear_ = SUNLinSol_Dense(v_, matrix_, context_);
    memory_ = CVodeCreate(CV_BDF, context_);
    double* atol = N_VGetArrayPointer(atol_);
    for (std::size_t i = 0; i < y_.size(); ++i) {
      const bool work = i >= system.states();
      atol[i] = work ? rtol * system.work_scale() : solver_.atol > 0 ? 0.01 * solver_.atol : rtol * system.scales()[i];
    }
    noise_ = system.slip_noise(rtol);
    buffer_ = y_;
    load(y_);
    check(CVodeInit(memory_, &CvodeRun::rates, 0.0, v_), "CVodeInit");
    check(CVodeSVtolerances(memory_, rtol, atol_), "CVodeSVtolerances");
    check(CVodeSetUserData(memory_, this), "CVodeSetUserData");
    check(CVodeSetLinearSolver(memory_, linear_, matrix_), "CVodeSetLinearSolver");
    check(CVodeSetJacFn(memory_, &CvodeRun::jacobian), "CVodeSetJacFn");
    check(CVodeSetErrHandlerFn(
              memory_, [](int, const char*, const char*, char*, void*) {}, nullptr),
          "CVodeSetErrHandlerFn");
    check(CVodeSetMaxHnilWarns(memory_, -1), "CVodeSetMaxHnilWarns");
  }
  CvodeRun(const CvodeRun&) = delete;
  CvodeRun& operator=(const CvodeRun&) = delete;
  ~CvodeRun() {
    CVodeFree(&memory_);
    SUNLinSolFree(linear_);
    SUNMatDestroy(matrix_);
    N_VDestroy(v_);
    N_VDestroy(atol_);
    SUNContext_Free(&context_);
  }

  void run() {
    const double T = solver_.duration;
    system_.begin_energy(y_);
    while (t_ < T) {
      const bool corner = system_.corner_shown(t_);
      if (corner) out_.limits.before(t_, row_);
      note(system_.enter_piece(t_, std::min(system_.next_corner(t_), T), y_));
      if (corner) out_.limits.after(t_, true, row_);
      piece(std::min(system_.next_corner(t_), T));
    }
    out_.pass(T, true, [&](double t, double* row) { system_.row(t, y_.data(), row); });
    Summary& s = out_.summary;
    s.method = "cvode";
    s.evaluations += evaluations_;
    s.jacobians += jacobians_;
    s.energy = system_.energy(T, y_);
    s.energy.error = missing_part(s.energy, std::pow(momentum_.largest_momentum(), 2) / (2 * system_.mass()));
    s.momentum.error = momentum_.error();
    note_rest(system_, momentum_, s);
    require_balance(s, solver_, system_.work_scale());
  }

 private:
  void piece(double end) {
    while (end - t_ > 4 * epsilon<double> * end) {
      settle(end);
      restart(end);
      while (t_ < end) {
        if (step(end)) break;
      }
    }
    t_ = end;
  }

  /// Executes switches that are due now, decided by the state shortly ahead.
  void settle(double end) {
    for (int n = 0; n < 1000; ++n) {
      out_.options.heed();
      const double ahead_t = look_ahead(end);
      system_.guards(t_, y_.data(), guards_);
      std::vector<Guard> later;
      system_.guards(ahead_t, ahead_.data(), later);
      bool switched = false;
      for (std::size_t i = 0; i < later.size() && !switched; ++i) {
        const bool noise = system_.at_rest_guard(later[i], ahead_t, ahead_.data()) && later[i].value < noise_;
        if (guards_[i].value >= 0 && later[i].value > 0 && !noise) {
          jump(guards_[i], ahead_t);
          switched = true;
        }
      }
      if (!switched) return;
    }
    fail(system_, "endless switching", t_, 0, y_.data());
  }
  /// One explicit step, stable for the stiffest state.
  double look_ahead(double end) {
    system_.jacobian(t_, y_.data(), j_);
    double steepest = 1 / (1e-3 * solver_.duration);
    for (std::size_t i = 0; i < system_.states(); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < system_.states(); ++k)
        sum += std::abs(j_.row(i)[k]) * system_.scales()[k] / system_.scales()[i];
      steepest = std::max(steepest, sum);
    }
    const double h = std::min({1e-3 / steepest, system_.longest_step(), end - t_});
    std::vector<double> k1(y_.size()), k2(y_.size());
    system_.rates(t_, y_.data(), k1.data());
    ahead_ = y_;
    for (std::size_t i = 0; i < y_.size(); ++i) ahead_[i] += h / 2 * k1[i];
    system_.rates(t_ + h / 2, ahead_.data(), k2.data());
    for (std::size_t i = 0; i < y_.size(); ++i) ahead_[i] = y_[i] + h * k2[i];
    return t_ + h;
  }

  void restart(double end) {
    load(y_);
    check(CVodeReInit(memory_, t_, v_), "CVodeReInit");
    check(CVodeSetStopTime(memory_, end), "CVodeSetStopTime");
    const double longest = std::min(system_.longest_step(), system_.slow_time() / 8);
    check(CVodeSetMaxStep(memory_, std::min(longest, solver_.duration)), "CVodeSetMaxStep");
    system_.guards(t_, y_.data(), guards_);
    check(CVodeRootInit(memory_, static_cast<int>(guards_.size()), guards_.empty() ? nullptr : &CvodeRun::roots),
          "CVodeRootInit");
    // CVODE ignores the root of a guard that starts at zero and rises later: shift the guard by a rounding error. The
    // value shortly ahead decides which guards that applies to.
    offset_.clear();
    const double ahead_t = look_ahead(end);
    system_.guards(ahead_t, ahead_.data(), probe_);
    for (std::size_t i = 0; i < guards_.size(); ++i) {
      const bool shift =
          guards_[i].value == 0 && probe_[i].value == 0 && !system_.at_rest_guard(probe_[i], ahead_t, ahead_.data());
      offset_.push_back(shift ? 1e-13 * system_.force_scale() : 0);
    }
    if (!guards_.empty()) {
      std::vector<int> rising(guards_.size(), 1);
      check(CVodeSetRootDirection(memory_, rising.data()), "CVodeSetRootDirection");
      check(CVodeSetNoInactiveRootWarn(memory_), "CVodeSetNoInactiveRootWarn");
    }
  }

  /// One step; true if it ended at an event.
  bool step(double end) {
    if (static_cast<double>(++out_.summary.steps) > solver_.max_steps)
      fail(system_, "max_steps exceeded", t_, 0, y_.data());
    out_.tick(t_, 4 * system_.bodies());
    double t = t_;
    const int flag = CVode(memory_, end, v_, &t, CV_ONE_STEP);
    if (flag < 0) {
      out_.options.heed();
      double h = 0;
      CVodeGetCurrentStep(memory_, &h);
      const std::unique_ptr<char, decltype(&std::free)> name(CVodeGetReturnFlagName(flag), &std::free);
      fail(system_, std::string("CVODE failed (") + name.get() + ")", t_, h, y_.data());
    }
    t = std::min(t, end);
    out_.pass(t, false, [&](double at, double* row) { system_.row(at, interpolated(at), row); });
    if constexpr (W::may_be_prescribed) {
      if (system_.prescribed()) {
        const double h = t - t_;
        system_.add_work(Recorder::work(system_, system_.power(t_, interpolated(t_)), t_, h,
                                        [&](double theta) { return interpolated(t_ + theta * h); }));
      }
    }
    add_momentum(t - t_);
    std::copy_n(N_VGetArrayPointer(v_), y_.size(), y_.begin());
    t_ = t;
    if (out_.growth.beyond(t_, momentum_.largest_momentum())) diverge(system_, out_.growth, t_, 0, y_.data());
    if (const double r = system_.load(t_); r < 0)
      fail(system_, "negative normal load ratio (" + to_text(r) + ")", t_, 0, y_.data());
    if (flag != CV_ROOT_RETURN) return overdue();
    std::vector<int> found(guards_.size());
    CVodeGetRootInfo(memory_, found.data());
    const double ahead_t = look_ahead(std::max(end, t_ + 1e-12 * solver_.duration));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] != 1) continue;
      jump(guards_[i], ahead_t);
      break;  // the other guards have changed, or are due now
    }
    return true;
  }

  void add_momentum(double h) {
    MomentumSum& p = momentum_;
    if (p.size() == 0 || !(h > 0)) return;
    std::vector<double> rates(y_.size());
    auto net_at = [&](double t, const double* y, double* net) {
      system_.rates(t, y, rates.data());
      system_.net_forces(rates.data(), net);
    };
    net_at(t_, y_.data(), p.first.data());
    for (std::size_t k = 0; k < MomentumSum::places; ++k) {
      const double t = t_ + MomentumSum::nodes()[k] * h, *y = interpolated(t);
      net_at(t, y, p.net.data() + k * p.size());
      system_.applied_forces(t, y, p.applied.data() + k * p.size());
    }
    system_.momentum(y_.data(), p.before.data());
    system_.momentum(N_VGetArrayPointer(v_), p.after.data());
    p.look(h);
    p.add();
  }

  /// Whether a guard is above zero without a root in CVODE, because it started there.
  bool overdue() {
    system_.guards(t_, y_.data(), probe_);
    for (std::size_t i = 0; i < probe_.size(); ++i) {
      const bool noise = probe_[i].value < noise_ && system_.at_rest_guard(probe_[i], t_, y_.data());
      if (probe_[i].value > offset_[i] && !noise) return true;
    }
    return false;
  }

  const double* interpolated(double t) {
    N_Vector dky = N_VMake_Serial(static_cast<sunindextype>(y_.size()), buffer_.data(), context_);
    if (t <= t_ || CVodeGetDky(memory_, t, 0, dky) != CV_SUCCESS) buffer_ = y_;
    N_VDestroy(dky);
    return buffer_.data();
  }
  void jump(const Guard& guard, double ahead_t) {
    const bool shown = system_.shows(guard.body);
    if (shown) out_.limits.before(t_, row_);
    const Change change = system_.jump(guard, t_, y_, ahead_t, ahead_.data());
    note(change);
    if (shown) out_.limits.after(t_, change.happened, row_);
    ++out_.summary.switches;
  }
  void note(const Change& change) { out_.note(system_, t_, y_.data(), change, solver_.rtol); }
  void note(const std::vector<Change>& changes) {
    for (const Change& change : changes) note(change);
  }
  void load(const std::vector<double>& y) { std::copy(y.begin(), y.end(), N_VGetArrayPointer(v_)); }
  static void check(int flag, const char* call) {
    if (flag != CV_SUCCESS) throw RunFailed(std::string("CVODE: ") + call + " failed");
  }

  static int rates(double t, N_Vector y, N_Vector f, void* self) {
    auto& run = *static_cast<CvodeRun*>(self);
    const auto* stop = run.out_.options.stop;
    if (stop && stop->load(std::memory_order_relaxed)) return -1;
    ++run.evaluations_;
    run.system_.rates(t, N_VGetArrayPointer(y), N_VGetArrayPointer(f));
    return 0;
  }
  static int jacobian(double t, N_Vector y, N_Vector, SUNMatrix m, void* self, N_Vector, N_Vector, N_Vector) {
    auto& run = *static_cast<CvodeRun*>(self);
    ++run.jacobians_;
    run.system_.jacobian(t, N_VGetArrayPointer(y), run.j_);
    for (std::size_t i = 0; i < run.y_.size(); ++i) {
      for (std::size_t k = 0; k < run.system_.states(); ++k)
        SM_ELEMENT_D(m, static_cast<sunindextype>(i), static_cast<sunindextype>(k)) = run.j_.row(i)[k];
    }
    return 0;
  }
  static int roots(double t, N_Vector y, double* g, void* self) {
    auto& run = *static_cast<CvodeRun*>(self);
    run.system_.guards(t, N_VGetArrayPointer(y), run.probe_);
    for (std::size_t i = 0; i < run.probe_.size(); ++i) g[i] = run.probe_[i].value - run.offset_[i];
    return 0;
  }

  W& system_;
  const SolverParams& solver_;
  Recorder& out_;
  double t_ = 0, noise_ = 0;
  std::int64_t evaluations_ = 0, jacobians_ = 0;
  std::vector<double> y_, buffer_{}, ahead_{}, offset_{};
  struct Row {  // of the present state
    CvodeRun& run;
    void operator()(double t, double* row) const { run.system_.row(t, run.y_.data(), row); }
  } row_{*this};
  std::vector<Guard> guards_{}, probe_{};
  Jacobian j_{};
  MomentumSum momentum_;
  SUNContext context_ = nullptr;
  N_Vector v_ = nullptr, atol_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace

const bool has_cvode = true;
void run_cvode(System& system, const Experiment& e, Recorder& out) { CvodeRun<System>(system, e, out).run(); }
void run_cvode(Chain& chain, const Experiment& e, Recorder& out) { CvodeRun<Chain>(chain, e, out).run(); }

}  // namespace bristle

/// CVODE as a careful user calls it: compiled right-hand side, analytic Jacobian, own tolerance for every state, root
/// functions for what switches, dense output at the rows.
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <stdexcept>

#include "equations.hpp"
#include "worker.hpp"

namespace {

using peers::Case;
using peers::Equations;

/// A velocity given in time and the bristles or elements it bends; states z, or the element forces.
class Motion {
 public:
  explicit Motion(const Case& problem) : p(problem), tones_(peers::multisine()) {
    direction = peers::sign(velocity(1e-9));
  }
  bool gms() const { return p.law == peers::Law::gms; }
  int size() const { return gms() ? peers::GmsElements::n : 1; }
  std::vector<double> scales(const std::string&) const {
    return gms() ? std::vector<double>(peers::GmsElements::n, p.Fs) : std::vector<double>{p.Fs / p.sigma0};
  }
  double velocity(double t) const {
    double v = 0;
    for (const auto& tone : tones_) v += tone.amplitude * std::sin(6.283185307179586 * tone.frequency * t + tone.phase);
    return v;
  }
  double S(double v) const { return p.Fc + (p.Fs - p.Fc) * std::exp(-v / p.vs * v / p.vs); }
  void rhs(double t, const double* y, double* dy) const {
    const double v = velocity(t), s = S(v);
    if (!gms()) {
      dy[0] = v - std::fabs(v) * p.sigma0 / s * y[0];
      return;
    }
    for (int i = 0; i < peers::GmsElements::n; ++i)
      dy[i] = slips[i] ? direction * e.C * (e.nu[i] - direction * y[i] / s) : e.k[i] * v;
  }
  template <class Set> void jacobian(double t, const double*, Set&& set) const {
    const double v = velocity(t), s = S(v);
    if (!gms()) return set(0, 0, -std::fabs(v) * p.sigma0 / s);
    for (int i = 0; i < peers::GmsElements::n; ++i) set(i, i, slips[i] ? -e.C / s : 0.0);
  }
  double force(double t, const double* y) const {
    const double v = velocity(t);
    if (!gms()) return p.sigma0 * y[0] + p.sigma1 * (v - std::fabs(v) * p.sigma0 / S(v) * y[0]) + p.kv * v;
    double F = p.kv * v;
    for (int i = 0; i < peers::GmsElements::n; ++i) F += y[i];
    return F;
  }
  int guards() const { return gms() ? 1 + peers::GmsElements::n : 0; }
  void guard(double t, const double* y, double* g) const {
    const double v = velocity(t), s = S(v);
    g[0] = direction * v;
    for (int i = 0; i < peers::GmsElements::n; ++i) g[i + 1] = slips[i] ? 1 : e.nu[i] * s - direction * y[i];
  }
  void switch_over(const int* found) {
    for (int i = 0; i < peers::GmsElements::n; ++i) slips[i] = slips[i] || found[i + 1] != 0;
    if (found[0] != 0) {
      direction = -direction;
      for (bool& s : slips) s = false;
    }
  }
  const Case p;

 private:
  peers::GmsElements e;
  std::vector<peers::Tone> tones_;
  double direction = 1;
  bool slips[peers::GmsElements::n]{};
};

int guards(const Equations& e) { return e.p.dry() ? 1 : 0; }
int guards(const Motion& m) { return m.guards(); }
void guard(const Equations& e, double t, const double* y, double* g) { g[0] = e.guard(t, y); }
void guard(const Motion& m, double t, const double* y, double* g) { m.guard(t, y, g); }
void switch_over(Equations& e, double t, double* y, const int*) { e.switch_over(t, y); }
void switch_over(Motion& m, double, double*, const int* found) { m.switch_over(found); }
void keep(const Equations& e, double, const double* y, std::vector<double>& rows) {
  for (int b = 0; b < e.p.blocks; ++b) {
    rows.push_back(y[b * e.each()]);
    rows.push_back(y[b * e.each() + 1]);
  }
}
void keep(const Motion& m, double t, const double* y, std::vector<double>& rows) { rows.push_back(m.force(t, y)); }

template <class System> int rhs(double t, N_Vector y, N_Vector dy, void* system) {
  static_cast<const System*>(system)->rhs(t, N_VGetArrayPointer_Serial(y), N_VGetArrayPointer_Serial(dy));
  return 0;
}
template <class System>
int jacobian(double t, N_Vector y, N_Vector, SUNMatrix J, void* system, N_Vector, N_Vector, N_Vector) {
  double* a = SUNDenseMatrix_Data(J);  // comes in as zero
  const auto n = SUNDenseMatrix_Rows(J);
  static_cast<const System*>(system)->jacobian(t, N_VGetArrayPointer_Serial(y),
                                               [&](int i, int j, double value) { a[j * n + i] = value; });
  return 0;
}
template <class System> int roots(double t, N_Vector y, double* g, void* system) {
  guard(*static_cast<const System*>(system), t, N_VGetArrayPointer_Serial(y), g);
  return 0;
}
void check(int flag) {
  if (flag < 0) throw std::runtime_error(std::string("CVODE: ") + CVodeGetReturnFlagName(flag));
}
void be_silent(int, const char*, const char*, char*, void*) {}

class Cvode {
 public:
  template <class System> void run(System& system, const peers::Asked& asked, peers::Solved& solved) {
    const int n = system.size();
    y_ = N_VNew_Serial(n, context_);
    tolerance_ = N_VNew_Serial(n, context_);
    double* y = N_VGetArrayPointer_Serial(y_);
    for (int i = 0; i < n; ++i) y[i] = 0;
    const auto scales = system.scales(asked.scaling);
    for (int i = 0; i < n; ++i)
      N_VGetArrayPointer_Serial(tolerance_)[i] = asked.rtol * scales[static_cast<std::size_t>(i)];
    const bool adams = asked.method == "adams";
    memory_ = CVodeCreate(adams ? CV_ADAMS : CV_BDF, context_);
    CVodeSetErrHandlerFn(memory_, be_silent, nullptr);
    check(CVodeInit(memory_, rhs<System>, 0, y_));
    check(CVodeSVtolerances(memory_, asked.rtol, tolerance_));
    check(CVodeSetUserData(memory_, &system));
    check(CVodeSetMaxNumSteps(memory_, 2000000));
    if (adams) {
      nonlinear_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      check(CVodeSetNonlinearSolver(memory_, nonlinear_));
    } else {
      matrix_ = SUNDenseMatrix(n, n, context_);
      linear_ = SUNLinSol_Dense(y_, matrix_, context_);
      check(CVodeSetLinearSolver(memory_, linear_, matrix_));
      if (asked.method == "bdf") check(CVodeSetJacFn(memory_, jacobian<System>));
    }
    const int watched = guards(system);
    std::vector<int> found(static_cast<std::size_t>(watched) + 1), falling(found.size(), -1);
    if (watched > 0) {
      check(CVodeRootInit(memory_, watched, roots<System>));
      check(CVodeSetRootDirection(memory_, falling.data()));
      CVodeSetNoInactiveRootWarn(memory_);
    }
    const int rows = system.p.rows();
    solved.rows.reserve(static_cast<std::size_t>(rows * 2 * system.p.blocks));
    keep(system, 0, y, solved.rows);
    double t = 0;
    for (int row = 1; row < rows; ++row) {
      const double until = row * system.p.output_step;
      while (t < until) {
        const int flag = CVode(memory_, until, y_, &t, CV_NORMAL);
        check(flag);
        if (flag == CV_ROOT_RETURN) {
          CVodeGetRootInfo(memory_, found.data());
          switch_over(system, t, y, found.data());
          add_steps(solved);
          check(CVodeReInit(memory_, t, y_));
        }
      }
      keep(system, t, y, solved.rows);
    }
    add_steps(solved);
  }
  Cvode() { SUNContext_Create(nullptr, &context_); }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;
  ~Cvode() {
    CVodeFree(&memory_);
    if (linear_) SUNLinSolFree(linear_);
    if (matrix_) SUNMatDestroy(matrix_);
    if (nonlinear_) SUNNonlinSolFree(nonlinear_);
    N_VDestroy(y_);
    N_VDestroy(tolerance_);
    SUNContext_Free(&context_);
  }

 private:
  void add_steps(peers::Solved& solved) const {
    long steps = 0;
    CVodeGetNumSteps(memory_, &steps);
    solved.steps += steps;
  }
  SUNContext context_ = nullptr;
  void* memory_ = nullptr;
  N_Vector y_ = nullptr, tolerance_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_ = nullptr;
  SUNNonlinearSolver nonlinear_ = nullptr;
};

}  // namespace

int main() {
  return peers::serve([](const peers::Asked& asked) {
    return [&asked](peers::Solved& solved) {
      for (const Case& p : asked.problems) {
        Cvode cvode;
        if (p.motion) {
          Motion motion(p);
          cvode.run(motion, asked, solved);
        } else {
          Equations equations(p);
          cvode.run(equations, asked, solved);
        }
      }
    };
  });
}

/// The mechanisms of simbody_mechanisms.cpp with SUNDIALS IDA: backward differentiation in the coordinates of the bodies, index 2
/// with the constraints of position and velocity (Gear, Gupta, Leimkuhler 1985):
///   q' = v + J' mu,  M v' = Q + J' lambda,  z' = rate(v, z),  0 = Phi(q),  0 = J v
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <Eigen/LU>
#include <stdexcept>

#include "mechanisms.hpp"

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Body a (-1: ground) at the point pa of its frame and body b at pb; a guide holds y and angle of b.
struct Joint {
  int a, b;
  double pa[2], pb[2];
  bool guide, friction;
};

struct System {
  explicit System(const std::string& problem) : numbers(peers::numbers_of(problem)) {
    const double pi = std::acos(-1.0);
    if (problem.rfind("slider_crank", 0) == 0) {
      const double phi = -std::asin(0.1 * std::sin(pi / 4) / 0.25), c = 0.1 * std::cos(pi / 4),
                   s = 0.1 * std::sin(pi / 4), x = c + 0.25 * std::cos(phi), w = 20,
                   turn = -0.1 * w * std::cos(pi / 4) / (0.25 * std::cos(phi));
      mass = {1, 1, 1e-2 / 12, 1, 1, 0.0625 / 12, 0.5, 0.5, 1e-3};
      q = {c / 2, s / 2, pi / 4, (c + x) / 2, s / 2, phi, x, 0, 0};
      const double vx = -s * w - 0.25 * turn * std::sin(phi);
      v = {-s * w / 2, c * w / 2, w, (-s * w + vx) / 2, c * w / 2, turn, vx, 0, 0};
      joints = {{-1, 0, {0, 0}, {-0.05, 0}, false, true},
                {0, 1, {0.05, 0}, {-0.125, 0}, false, true},
                {1, 2, {0.125, 0}, {0, 0}, false, false},
                {-1, 2, {0, 0}, {0, 0}, true, true}};
      torque = numbers.torque;
    } else {
      mass = {1, 1, 0.0625 / 12, 0.8, 0.8, 0.05 / 12};
      q = {0.125, 0, 0, 0.375, 0, 0};
      v = std::vector<double>(6);
      joints = {{-1, 0, {0, 0}, {-0.125, 0}, false, true}, {0, 1, {0.125, 0}, {-0.125, 0}, false, true}};
    }
    n = static_cast<int>(mass.size());
    rows = 2 * static_cast<int>(joints.size());
    for (const Joint& j : joints) contacts += j.friction ? 1 : 0;
    size = 2 * n + contacts + 2 * rows;
  }
  /// Phi, J and the rate of J times v.
  void constraints(const double* at, const double* rate, Vector& phi, Matrix& J, Vector& gamma) const {
    phi.setZero(rows);
    J.setZero(rows, n);
    gamma.setZero(rows);
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const Joint& j = joints[k];
      const int r = 2 * static_cast<int>(k);
      if (j.guide) {
        for (const int c : {0, 1}) {
          phi(r + c) = at[3 * j.b + 1 + c];
          J(r + c, 3 * j.b + 1 + c) = 1;
        }
        continue;
      }
      for (const auto& [body, p, sign] : {std::tuple{j.a, j.pa, -1.0}, {j.b, j.pb, 1.0}}) {
        const double c = body < 0 ? 1 : std::cos(at[3 * body + 2]), s = body < 0 ? 0 : std::sin(at[3 * body + 2]);
        const double x = c * p[0] - s * p[1], y = s * p[0] + c * p[1];
        phi(r) += sign * (x + (body < 0 ? 0 : at[3 * body]));
        phi(r + 1) += sign * (y + (body < 0 ? 0 : at[3 * body + 1]));
        if (body < 0) continue;
        J(r, 3 * body) = J(r + 1, 3 * body + 1) = sign;
        J(r, 3 * body + 2) = -sign * y;
        J(r + 1, 3 * body + 2) = sign * x;
        const double w = rate[3 * body + 2];
        gamma(r) -= sign * x * w * w;
        gamma(r + 1) -= sign * y * w * w;
      }
    }
  }
  /// Forces on the bodies and rates of the bristles.
  void forces(double t, const double* rate, const double* z, Vector& Q, Vector& dz) const {
    Q.setZero(n);
    dz.setZero(contacts);
    for (int i = 1; i < n; i += 3) Q(i) = -9.81 * mass[static_cast<std::size_t>(i)];
    int at = 0;
    for (const Joint& j : joints) {
      if (!j.friction) continue;
      const double slip =
          j.guide ? rate[3 * j.b] : peers::bearing_radius * (rate[3 * j.b + 2] - (j.a < 0 ? 0 : rate[3 * j.a + 2]));
      dz(at) = numbers.law.rate(slip, z[at]);
      const double F = numbers.law.force(slip, z[at]);
      if (j.guide) {
        Q(3 * j.b) -= F;
      } else {
        Q(3 * j.b + 2) -= peers::bearing_radius * F;
        if (j.a >= 0) Q(3 * j.a + 2) += peers::bearing_radius * F;
      }
      ++at;
    }
    Q(2) += torque * std::sin(2 * std::acos(-1.0) * peers::torque_frequency * t);
  }

  peers::Numbers numbers;
  std::vector<double> mass{}, q{}, v{};
  std::vector<Joint> joints{};
  double torque{};
  int n{}, rows{}, contacts{}, size{};
  mutable Vector phi_now{}, gamma_now{}, Q_now{}, dz_now{};
  mutable Matrix J_now{};
};

int residual(double t, N_Vector Y, N_Vector dY, N_Vector R, void* data) {
  const System& s = *static_cast<const System*>(data);
  const double *y = N_VGetArrayPointer(Y), *dy = N_VGetArrayPointer(dY);
  double* r = N_VGetArrayPointer(R);
  const double *v = y + s.n, *z = v + s.n, *lambda = z + s.contacts, *mu = lambda + s.rows;
  s.constraints(y, v, s.phi_now, s.J_now, s.gamma_now);
  s.forces(t, v, z, s.Q_now, s.dz_now);
  const Vector pull = s.J_now.transpose() * Eigen::Map<const Vector>(lambda, s.rows),
               drift = s.J_now.transpose() * Eigen::Map<const Vector>(mu, s.rows),
               rate = s.J_now * Eigen::Map<const Vector>(v, s.n);
  for (int i = 0; i < s.n; ++i) {
    r[i] = dy[i] - v[i] - drift(i);
    r[s.n + i] = s.mass[static_cast<std::size_t>(i)] * dy[s.n + i] - s.Q_now(i) - pull(i);
  }
  for (int i = 0; i < s.contacts; ++i) r[2 * s.n + i] = dy[2 * s.n + i] - s.dz_now(i);
  for (int i = 0; i < s.rows; ++i) {
    r[2 * s.n + s.contacts + i] = s.phi_now(i);
    r[2 * s.n + s.contacts + s.rows + i] = rate(i);
  }
  return 0;
}

/// Steps, or -1 if IDA fails.
long attempt(const std::string& problem, double rtol, double first_step, std::vector<double>& rows) {
  System s(problem);
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector Y = N_VNew_Serial(s.size, context), dY = N_VNew_Serial(s.size, context), id = N_VNew_Serial(s.size, context),
           atol = N_VNew_Serial(s.size, context);
  double *y = N_VGetArrayPointer(Y), *dy = N_VGetArrayPointer(dY);
  N_VConst(0, Y);
  N_VConst(0, dY);
  for (int i = 0; i < s.size; ++i) {
    NV_Ith_S(id, i) = i < 2 * s.n + s.contacts ? 1 : 0;
    const bool bristle = i >= 2 * s.n && i < 2 * s.n + s.contacts;
    NV_Ith_S(atol, i) = rtol * (bristle ? 1e-5 : i < s.n ? 0.1 : 1);
  }
  std::copy(s.q.begin(), s.q.end(), y);
  std::copy(s.v.begin(), s.v.end(), y + s.n);
  // Accelerations and reactions at the start.
  s.constraints(y, y + s.n, s.phi_now, s.J_now, s.gamma_now);
  s.forces(0, y + s.n, y + 2 * s.n, s.Q_now, s.dz_now);
  Matrix A = Matrix::Zero(s.n + s.rows, s.n + s.rows);
  Vector b(s.n + s.rows);
  for (int i = 0; i < s.n; ++i) A(i, i) = s.mass[static_cast<std::size_t>(i)];
  A.topRightCorner(s.n, s.rows) = -s.J_now.transpose();
  A.bottomLeftCorner(s.rows, s.n) = s.J_now;
  b << s.Q_now, -s.gamma_now;
  const Vector x = A.partialPivLu().solve(b);
  for (int i = 0; i < s.n; ++i) {
    dy[i] = y[s.n + i];
    dy[s.n + i] = x(i);
  }
  for (int i = 0; i < s.contacts; ++i) dy[2 * s.n + i] = s.dz_now(i);
  for (int i = 0; i < s.rows; ++i) y[2 * s.n + s.contacts + i] = x(s.n + i);

  void* ida = IDACreate(context);
  SUNMatrix M = SUNDenseMatrix(s.size, s.size, context);
  SUNLinearSolver solver = SUNLinSol_Dense(Y, M, context);
  IDAInit(ida, residual, 0, Y, dY);
  IDASVtolerances(ida, rtol, atol);
  IDASetUserData(ida, &s);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, SUNTRUE);
  IDASetMaxNumSteps(ida, 100000000);
  IDASetInitStep(ida, first_step);
  IDASetLinearSolver(ida, solver, M);
  bool failed = false;
  const int count = static_cast<int>(std::lround(peers::duration / peers::output_step));
  for (int row = 0; row <= count && !failed; ++row) {
    double t = 0;
    if (row > 0) failed = IDASolve(ida, row * peers::output_step, &t, Y, dY, IDA_NORMAL) < 0;
    rows.insert(rows.end(), {y[2], y[s.n + 2], y[5], y[s.n + 5]});
  }
  long steps = 0;
  IDAGetNumSteps(ida, &steps);
  IDAFree(&ida);
  SUNLinSolFree(solver);
  SUNMatDestroy(M);
  for (N_Vector one : {Y, dY, id, atol}) N_VDestroy(one);
  SUNContext_Free(&context);
  return failed ? -1 : steps;
}

/// Problem: NAME/bdf. At rest the first step that IDA chooses (0) may be too small for the reactions to converge.
long run(const std::string& problem, double rtol, std::vector<double>& rows) {
  for (const double first_step : {0.0, 1e-7, 1e-6, 1e-5}) {
    rows.clear();
    if (const long steps = attempt(problem, rtol, first_step, rows); steps >= 0) return steps;
  }
  throw std::runtime_error("IDA fails");
}

}  // namespace

int main(int argc, char** argv) { return peers::serve(argc, argv, run); }

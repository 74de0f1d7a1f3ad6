#include <array>
#include <cmath>

#include "stepper.hpp"

/// Linearly implicit (Rosenbrock) methods, in the form without products by the Jacobian:
///   (I/(gamma h) - J) U_i = f(t + alpha_i h, y + sum a_ij U_j) + sum c_ij/h U_j + gamma_i h f_t
///   y1 = y + sum m_j U_j, error estimate U_s
/// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sec. IV.7 (Rodas4)
/// G. Steinebach, Construction of Rosenbrock-Wanner method Rodas5P..., BIT 63 (2023)
namespace bristle {
namespace {

template <std::size_t S, std::size_t D> struct Tableau {
  const char* name;
  int order;
  double gamma;
  std::array<double, S> alpha, gamma_i;
  std::array<std::array<double, S>, S> a, c;
  std::array<std::array<double, S>, D> dense;  // y(theta) = (1-theta) y0 + theta (y1 + (1-theta)(K1 + theta (K2 ...)))
};

// Stages 7 and 8 continue from y + sum a_6j U_j, adding U_6 and U_7: stiffly accurate.
constexpr Tableau<8, 3> rodas5p{
    "rodas5p",
    5,
    0.21193756319429014,
    {0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1, 1, 1},
    {0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069, 0, 0, 0},
    {{{},
      {3.0},
      {2.849394379747939, 0.45842242204463923},
      {-6.954028509809101, 2.489845061869568, -10.358996098473584},
      {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
      {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946},
      {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1},
      {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1, 1}}},
    {{{},
      {-14.155112264123755},
      {-17.97296035885952, -2.859693295451294},
      {147.12150275711716, -1.41221402718213, 71.68940251302358},
      {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
      {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471},
      {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
       -28.087943162872662},
      {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
       -54.66780262877968, -9.48861652309627}}},
    {{{25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073,
       1.1241088310450404, 0.4272876194431874, -0.17202221070155493},
      {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044,
       15.98066361424651, -6.789040303419874, -6.710236069923372},
      {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654,
       -59.78993625266729, -0.15582684282751913, 4.883087185713722}}}};

constexpr Tableau<6, 2> rodas4{
    "rodas4",
    4,
    0.25,
    {0, 0.386, 0.21, 0.63, 1, 1},
    {0.25, -0.1043, 0.1035, -0.03620000000000023, 0, 0},
    {{{},
      {1.544},
      {0.9466785280815826, 0.2557011698983284},
      {3.314825187068521, 2.896124015972201, 0.9986419139977817},
      {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
      {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}}},
    {{{},
      {-5.6688},
      {-2.430093356833875, -0.2063599157091915},
      {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
      {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
      {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}}},
    {{{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662},
      {-0.6762803392806898, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872}}}};

/// I/(gamma h) - J, factored without pivoting in the order of the states: contact states, positions, velocities. The
/// contact states hardly couple, so most of the work is skipped. A singular matrix shows as numbers that are not finite.
class Factors {
 public:
  void factor(const Jacobian& j, double diagonal) {
    n_ = j.columns;
    smallest_ = inf;
    a_.resize(n_ * n_);
    for (std::size_t i = 0; i < n_ * n_; ++i) a_[i] = -j.a[i];
    for (std::size_t i = 0; i < n_; ++i) a_[i * n_ + i] += diagonal;
    for (std::size_t k = 0; k < n_; ++k) {
      const double* pivot = &a_[k * n_];
      const double inverse = 1 / pivot[k];
      if (!(pivot[k] >= smallest_)) smallest_ = pivot[k];  // NaN too
      for (std::size_t i = k + 1; i < n_; ++i) {
        double* row = &a_[i * n_];
        if (row[k] == 0) continue;
        const double factor = row[k] *= inverse;
        for (std::size_t c = k + 1; c < n_; ++c) row[c] -= factor * pivot[c];
      }
    }
  }
  /// Below the diagonal, a real eigenvalue is positive: something grows.
  double smallest_pivot() const { return smallest_; }
  double last_pivot() const { return a_.empty() ? inf : a_.back(); }
  void solve(double* b) const {
    for (std::size_t i = 1; i < n_; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= a_[i * n_ + k] * b[k];
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t k = i + 1; k < n_; ++k) b[i] -= a_[i * n_ + k] * b[k];
      b[i] /= a_[i * n_ + i];
    }
  }

 private:
  std::size_t n_{};
  double smallest_{};
  std::vector<double> a_{};
};

template <std::size_t S, std::size_t D> class Rodas final : public Stepper {
 public:
  Rodas(const World& world, const Tableau<S, D>& tableau) : Stepper(world), k_(tableau) {
    const std::size_t n = world.size();
    for (auto& u : u_) u.resize(n);
    for (auto& c : cont_) c.resize(n);
    f_.resize(n);
    y1_.resize(n);
    stage_.resize(n);
  }
  const char* name() const override { return k_.name; }
  int order() const override { return k_.order; }
  bool restless() const override { return restless_; }
  void dense(double theta, double* y) const override {
    const double left = 1 - theta;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double c = cont_[D - 1][i];
      for (std::size_t d = D - 1; d-- > 0;) c = cont_[d][i] + theta * c;
      y[i] = left * y_[i] + theta * (y1_[i] + left * c);
    }
  }

 private:
  void prepare() override {
    rates(t_, y_, f_);
    world_.jacobian(t_, y_.data(), j_);
    ++counts_.jacobians;
  }
  bool advance(std::vector<double>& error) override {
    const std::size_t n = world_.states(), size = world_.size();
    const double diagonal = 1 / (k_.gamma * h_);
    factors_.factor(j_, diagonal);
    if (!(factors_.smallest_pivot() > 0.5 * diagonal)) return false;
    restless_ = world_.may_oscillate() && factors_.last_pivot() < diagonal + world_.spring_rate(j_) / diagonal;
    for (std::size_t s = 0; s < S; ++s) {
      std::vector<double>& u = u_[s];
      if (s == 0) {
        u = f_;
      } else {
        stage_ = y_;
        for (std::size_t r = 0; r < s; ++r) add(stage_, k_.a[s][r], u_[r]);
        rates(t_ + k_.alpha[s] * h_, stage_, u);
        for (std::size_t r = 0; r < s; ++r) add(u, k_.c[s][r] / h_, u_[r]);
      }
      if (k_.gamma_i[s] != 0) add(u, k_.gamma_i[s] * h_, j_.t);
      factors_.solve(u.data());
      for (std::size_t i = n; i < size; ++i) {  // the work integrals follow
        const double* row = j_.row(i);
        double sum = u[i];
        for (std::size_t c = 0; c < n; ++c) sum += row[c] * u[c];
        u[i] = sum / diagonal;
      }
    }
    y1_ = stage_;
    add(y1_, 1, u_[S - 1]);
    error = u_[S - 1];
    for (std::size_t d = 0; d < D; ++d) {
      for (double& e : cont_[d]) e = 0;
      for (std::size_t s = 0; s < S; ++s) {
        if (k_.dense[d][s] != 0) add(cont_[d], k_.dense[d][s], u_[s]);
      }
    }
    return true;
  }
  static void add(std::vector<double>& y, double factor, const std::vector<double>& x) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += factor * x[i];
  }
  const Tableau<S, D>& k_;
  Jacobian j_{};
  Factors factors_{};
  bool restless_ = false;
  std::array<std::vector<double>, S> u_{};
  std::array<std::vector<double>, D> cont_{};
  std::vector<double> stage_{};
};

}  // namespace

std::unique_ptr<Stepper> make_rodas5p(const World& world) { return std::make_unique<Rodas<8, 3>>(world, rodas5p); }
std::unique_ptr<Stepper> make_rodas4(const World& world) { return std::make_unique<Rodas<6, 2>>(world, rodas4); }

}  // namespace bristle

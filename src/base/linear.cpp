#include "base/linear.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace bristle::linear {

Eigen::VectorXd solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) { return A.ldlt().solve(b); }
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A) {
  return A.ldlt().solve(Eigen::MatrixXd::Identity(A.rows(), A.cols()));
}
Eigen::VectorXd solve_square(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) { return A.partialPivLu().solve(b); }
Eigen::VectorXcd solve_square(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b) {
  return A.partialPivLu().solve(b);
}
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.colPivHouseholderQr().solve(b);
}
EigenSystem eigen_symmetric(const Eigen::MatrixXd& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
}

}  // namespace bristle::linear

#pragma once
#include <Eigen/Core>

/// Decompositions of dense matrices, compiled once.
namespace bristle::linear {

/// Of a symmetric positive semi-definite matrix, by LDL'.
Eigen::VectorXd solve(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
/// Of any square matrix, by LU with row pivots.
Eigen::VectorXd solve_square(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
Eigen::VectorXcd solve_square(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b);
/// The least-squares solution, by a QR decomposition with pivots.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

struct EigenSystem {
  Eigen::VectorXd values;  // increasing
  Eigen::MatrixXd vectors;
};
EigenSystem eigen_symmetric(const Eigen::MatrixXd& A);
/// Of any square matrix, in no order.
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);

}  // namespace bristle::linear

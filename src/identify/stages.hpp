#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "identify/candidate.hpp"

/// Stages of a fit. Each adds to `evaluations`.
namespace bristle::identify {

/// Tries many points and keeps the best few, including the start from the data.
void choose_starts(Candidate& c, const Setting& s, std::size_t& evaluations);
/// Descends from one of the starts to the nearest minimum.
void follow_start(Candidate& c, const Setting& s, std::size_t start, std::size_t& evaluations);
/// Refines the best point, with the scale of its noise.
void polish(Candidate& c, const Setting& s, std::size_t& evaluations);
/// Fits all blocks but one and predicts that one.
struct HeldOut {
  bool complete = false;           // false: stopped before the end of the fit
  std::vector<double> q{};         // the fitted coordinates
  double cost = inf;               // at q, of all blocks
  double squares = 0;              // sum
  std::vector<float> residuals{};  // of the block, for every `stride`-th sample of the data; 0 elsewhere
};
HeldOut hold_out(const Candidate& c, const Setting& s, int block, std::size_t& evaluations);
/// Cross-validation residuals and errors of a candidate from all its blocks, whose residuals are then gone.
void take_held_out(Candidate& c, const Setting& s, std::span<HeldOut> blocks);
/// All blocks of one candidate in one thread.
void hold_out_alone(Candidate& c, const Setting& s);

}  // namespace bristle::identify

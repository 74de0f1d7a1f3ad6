#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bristle/sweep.hpp"

/// Rows of a sweep on a GPU, in lists: the processor prepares one while the device runs another.
namespace bristle::sweep {

class DeviceRows {
 public:
  struct List;
  DeviceRows(const ScenarioFamily& family, std::vector<std::string> keys, unsigned threads,
             const std::atomic<bool>* stop);
  ~DeviceRows();
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;
  /// `point` writes the values of row i of the list; several threads call it.
  std::shared_ptr<List> prepare(std::size_t count, const std::function<void(std::size_t, std::vector<double>&)>& point);
  std::vector<RowResult> results(const List& list);

 private:
  class Readers;
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace bristle::sweep

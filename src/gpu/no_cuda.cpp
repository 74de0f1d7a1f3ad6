#include "bristle/gpu.hpp"

/// A build without BRISTLE_CUDA.
namespace bristle::gpu {
namespace {

constexpr const char* missing = "this build has no GPU support; one with the option BRISTLE_CUDA is required";

}  // namespace

bool built() { return false; }
std::string objection() { return missing; }
Device device() { throw DeviceError(missing); }
std::shared_ptr<void> memory(std::size_t) { throw DeviceError(missing); }

template <class T> MadeDeviceBatch<T> make_batch(std::string_view, const Table&, std::size_t) {
  throw DeviceError(missing);
}
template MadeDeviceBatch<double> make_batch<double>(std::string_view, const Table&, std::size_t);
template MadeDeviceBatch<float> make_batch<float>(std::string_view, const Table&, std::size_t);

std::vector<Measured> measure_all(std::span<const Experiment>, std::span<const Quantity>, const MeasureOptions&) {
  throw DeviceError(missing);
}

struct Prepared::Inside {};
Prepared::Prepared(std::size_t) { throw DeviceError(missing); }
Prepared::~Prepared() = default;
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
std::string Prepared::set(std::size_t, const Experiment&) { throw DeviceError(missing); }
bool Prepared::equal(std::size_t, std::size_t) const { throw DeviceError(missing); }
std::vector<Measured> Prepared::measure(std::span<const Quantity>, const MeasureOptions&) const {
  throw DeviceError(missing);
}

struct GfmPopulation::Inside {};
GfmPopulation::GfmPopulation(const Gfm&) { throw DeviceError(missing); }
GfmPopulation::~GfmPopulation() = default;
std::vector<asperity::Record> GfmPopulation::run(std::span<const asperity::Step>, bool) { throw DeviceError(missing); }

template <class T> struct Generic2010Population<T>::Inside {};
template <class T> Generic2010Population<T>::Generic2010Population(const Generic2010<T>&) {
  throw DeviceError(missing);
}
template <class T> Generic2010Population<T>::~Generic2010Population() = default;
template <class T> std::vector<asperity::Response> Generic2010Population<T>::run(std::span<const double>, bool) {
  throw DeviceError(missing);
}
template class Generic2010Population<double>;
template class Generic2010Population<float>;

}  // namespace bristle::gpu

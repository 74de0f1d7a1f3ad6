/// Host and device: agreement for every model, and speed with what bounds it. Writes text to standard output and numbers as
/// JSON to the file given: bristle_gpu_bench OUT.json [quick|tiny|kernels|runs]
#include "shared.hpp"

namespace {

using namespace bristle;
using namespace bristle::bench;

void memory_rate() {
  gpu::Array<double> a(1 << 28), b(1 << 28);
  a.clear();
  double best = 1e9;
  for (int k = 0; k < 5; ++k) {
    Timer t;
    gpu::check(cudaMemcpyAsync(b.data(), a.data(), (std::size_t{1} << 28) * 8, cudaMemcpyDeviceToDevice), "copy");
    best = std::min(best, t.stop());
  }
  memory_bytes = 2 * 8 * double(1 << 28) / best;
  put("memory_rate", memory_bytes);
  std::printf("memory: %.3g bytes/s\n", memory_bytes);
}

}  // namespace

int main(int argc, char** argv) {
  // quick: fewer runs; tiny: for a memory checker; kernels: each once, for a profiler;
  // runs: the million runs alone
  const std::string mode = argc > 2 ? argv[2] : "";
  try {
    const gpu::Device d = gpu::device();
    std::printf("%s, %d multiprocessors, %.3g GHz, %.0f GB\n", d.name.c_str(), d.multiprocessors, d.clock / 1e9,
                d.memory / 1e9);
    put("multiprocessors", d.multiprocessors);
    put("clock", d.clock);
    if (mode == "kernels") {
      batches_once();
      populations_once();
      runs_once();
      return 0;
    }
    if (mode == "runs") {
      ensembles(1000);
      return failures == 0 ? 0 : 1;
    }
    if (mode != "tiny") memory_rate();
    compare_batches();
    if (mode != "tiny") {
      measure_batches();
      measure_generic2010();
    }
    compare_runs(mode == "tiny" ? 0.05 : 1);
    compare_gfm(1 << 20, mode == "tiny" ? 0 : 4096);
    if (mode != "tiny") full_memory();
    ensembles(mode == "tiny" ? 8 : mode == "quick" ? 100 : 1000);
  } catch (const std::exception& e) {
    std::printf("FAILED: %s\n", e.what());
    ++failures;
  }
  if (argc > 1) {
    if (std::FILE* f = std::fopen(argv[1], "w")) {
      std::fprintf(f, "{\n%s\n}\n", json.c_str());
      std::fclose(f);
    }
  }
  std::printf("\n%s\n", failures == 0 ? "all comparisons hold" : "some comparisons FAILED");
  return failures == 0 ? 0 : 1;
}

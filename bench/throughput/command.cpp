// See command.hpp.
#include "command.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <penstock/version.hpp>
#include <string_view>
#include <thread>

#include "contestant.hpp"
#include "postgres_cost.hpp"
#include "report.hpp"

namespace penstock::bench {
namespace {

namespace fs = std::filesystem;

/// A folder that is empty for each run and gone afterwards.
class Scratch {
 public:
  explicit Scratch(const fs::path& parent) {
    std::string name = (parent / "penstock-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw fs::filesystem_error("cannot make a folder there", parent,
                                 std::error_code(errno, std::generic_category()));
    }
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

struct Contender {
  std::string store;
  std::unique_ptr<Contestant> ours;
  std::unique_ptr<Contestant> bare;
  /// For a run of about a second each: events at batch 1, 50 and 200.
  std::array<std::uint32_t, 3> events;
};

Comparison compare(Contender& contender, const Case& bench_case, const ThroughputOptions& options) {
  Comparison comparison{.store = contender.store, .bench_case = bench_case};
  for (std::size_t i = 0; i < options.samples; ++i) {
    const Scratch ours(options.folder);
    comparison.ours.push_back(contender.ours->run(bench_case, ours.path()));
    const Scratch bare(options.folder);
    comparison.bare.push_back(contender.bare->run(bench_case, bare.path()));
  }
  return comparison;
}

}  // namespace

int run_cost([[maybe_unused]] const CostOptions& options) {
#ifdef PENSTOCK_BENCH_POSTGRES
  std::vector<PostgresCost> costs;
  print_cost_header(std::cout);
  for (std::size_t i = 0; i < options.samples; ++i) {
    for (const Keys keys : {Keys::none, Keys::two_hundred}) {
      for (const std::size_t batch : {std::size_t{10}, std::size_t{50}, std::size_t{200}}) {
        const auto events = static_cast<std::uint32_t>(batch * 100 + 10'000);
        costs.push_back(
            postgres_cost({.batch = batch, .keys = keys, .events = events}, options.db));
        print_cost(std::cout, costs.back());
      }
    }
  }
  const std::vector<std::string> missed = missed_costs(costs);
  for (const std::string& problem : missed) std::cout << "too dear: " << problem << '\n';
  std::cout << (missed.empty() ? "met\n" : "not met\n");
  return missed.empty() ? 0 : 1;
#else
  std::cerr << "penstock-bench: built without PostgreSQL\n";
  return 2;
#endif
}

int run_throughput(const ThroughputOptions& options) {
  std::vector<Contender> contenders;
  if (options.store != "sqlite") {
    contenders.push_back(
        {"memory", penstock_on_memory(), bare_memory_loop(), {50'000, 200'000, 200'000}});
  }
  if (options.store != "memory") {
    contenders.push_back(
        {"sqlite", penstock_on_sqlite(), bare_sqlite_loop(), {1'000, 10'000, 20'000}});
  }

  std::cout << "penstock " << kVersion << ", " << std::thread::hardware_concurrency()
            << " processors, " << options.samples
            << " samples in turn, one publisher, one handler, " << kPayloadBytes
            << "-byte payloads; files in " << options.folder.string() << "\n\n";
  print_header(std::cout);
  std::vector<Comparison> comparisons;
  for (Contender& contender : contenders) {
    for (const Keys keys : {Keys::none, Keys::two_hundred}) {
      constexpr std::array<std::size_t, 3> kBatches{1, 50, 200};
      for (std::size_t i = 0; i < kBatches.size(); ++i) {
        const Case bench_case{.batch = kBatches[i], .keys = keys, .events = contender.events[i]};
        comparisons.push_back(compare(contender, bench_case, options));
        print_row(std::cout, comparisons.back());
      }
    }
  }

  const std::vector<std::string> inexact = inexact_runs(comparisons);
  const std::vector<std::string> missed = missed_floors(comparisons);
  std::cout << '\n';
  for (const std::string& problem : inexact) std::cout << "not exact: " << problem << '\n';
  for (const std::string& problem : missed) std::cout << "below the floor: " << problem << '\n';
  if (inexact.empty()) std::cout << "every run was exact: handled = published, order kept\n";
  std::cout << (inexact.empty() && missed.empty() ? "met\n" : "not met\n");
  return !inexact.empty() ? 6 : missed.empty() ? 0 : 1;
}

}  // namespace penstock::bench

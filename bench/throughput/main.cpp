// penstock-bench: published and dispatched events per second, beside a bare loop, in turn.
// Exits with 6 where a run was not exact and 1 where a floor was missed.
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <penstock/version.hpp>
#include <string_view>
#include <thread>

#include "contestant.hpp"
#include "postgres_cost.hpp"
#include "report.hpp"

namespace penstock::bench {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::size_t samples = 3;
  std::string store = "all";
  fs::path folder{};
  std::string db{};
};

constexpr char kUsage[] =
    "usage: penstock-bench [--samples N] [--store memory|sqlite|all] [--folder FOLDER]\n"
    "       penstock-bench --store postgres --db postgresql://… [--samples N]\n"
    "  --folder  where the database files go; must be on the disk to be measured\n"
    "            (default: the folder of this program)\n";

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  options.folder = fs::absolute(argv[0]).parent_path();
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string_view value = argv[i + 1];
    if (name == "--samples") {
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), options.samples);
      if (error != std::errc{} || end != value.data() + value.size()) return {};
    } else if (name == "--store") {
      options.store = value;
    } else if (name == "--folder") {
      options.folder = value;
    } else if (name == "--db") {
      options.db = value;
    } else {
      return {};
    }
  }
  const bool known = options.store == "all" || options.store == "memory" ||
                     options.store == "sqlite" ||
                     (options.store == "postgres" && !options.db.empty());
  if (argc % 2 == 0 || options.samples == 0 || !known) return {};
  return options;
}

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

Comparison compare(Contender& contender, const Case& bench_case, const Options& options) {
  Comparison comparison{.store = contender.store, .bench_case = bench_case};
  for (std::size_t i = 0; i < options.samples; ++i) {
    const Scratch ours(options.folder);
    comparison.ours.push_back(contender.ours->run(bench_case, ours.path()));
    const Scratch bare(options.folder);
    comparison.bare.push_back(contender.bare->run(bench_case, bare.path()));
  }
  return comparison;
}

int run_on_postgres([[maybe_unused]] const Options& options) {
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

int run(const Options& options) {
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

}  // namespace
}  // namespace penstock::bench

int main(int argc, char** argv) {
  const auto options = penstock::bench::parse(argc, argv);
  if (!options) {
    std::cerr << penstock::bench::kUsage;
    return 2;
  }
  try {
    return options->store == "postgres" ? penstock::bench::run_on_postgres(*options)
                                        : penstock::bench::run(*options);
  } catch (const std::exception& error) {
    std::cerr << "penstock-bench: " << error.what() << '\n';
    return 1;
  }
}

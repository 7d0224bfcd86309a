// `penstock demo`: shows in a minute what penstock is for, and proves it.
#include "commands/demo.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "demo/run.hpp"
#include "demo/workload.hpp"
#include "input/spool.hpp"
#include "output/shell.hpp"
#include "output/text.hpp"

namespace penstock::cli {
namespace {

constexpr char kDefaultDb[] = "sqlite:penstock-demo.db";
constexpr std::size_t kInputLimit = std::size_t{256} * 1024 * 1024;

[[noreturn]] void refuse(const std::string& field, const std::string& message) {
  throw Error(ErrorKind::usage, field + ": " + message, {.field = field});
}

bool is_served(std::string_view db) { return db.starts_with("postgres"); }

void check(const DemoOptions& options, std::string_view db) {
  if (options.events < 20) {
    refuse("events", fmt::format("expected 20 or more, found {}", options.events));
  }
  if (options.workers < 1 || options.workers > 100) {
    refuse("workers", fmt::format("expected 1 to 100, found {}", options.workers));
  }
  if (options.kills < 0 || options.kills > 1000) {
    refuse("kills", fmt::format("expected 0 to 1000, found {}", options.kills));
  }
  if (options.server_restarts < 0 || options.server_restarts > 100) {
    refuse("server-restarts", fmt::format("expected 0 to 100, found {}", options.server_restarts));
  }
  if ((options.server_restarts > 0) != !options.restart_command.empty()) {
    refuse("restart-command",
           "--server-restarts and --restart-command go together: the command kills the database "
           "server and starts it again");
  }
  if (options.server_restarts > 0 && !is_served(db)) {
    refuse("server-restarts",
           "a SQLite file has no server to restart: leave --server-restarts and "
           "--restart-command away");
  }
}

double rounded(double value) {
  return static_cast<double>(static_cast<std::int64_t>(value * 1000)) / 1000;
}

Json json_of(const demo::RunResult& result) {
  const demo::Verdict& verdict = result.verdict;
  return Json::object()
      .set("store", result.store)
      .set("published", result.published)
      .set("handlers", result.handlers)
      .set("deliveries", verdict.deliveries)
      .set("handled", verdict.handled)
      .set("duplicates", verdict.duplicates)
      .set("lost", verdict.lost)
      .set("unexpected", verdict.unexpected)
      .set("order_violations", verdict.order_violations)
      .set("pending", verdict.pending)
      .set("dead", verdict.dead)
      .set("kills", result.kills)
      .set("kills_in_flight", result.kills_in_flight)
      .set("takeovers", result.takeovers)
      .set("server_restarts", result.server_restarts)
      .set("seconds", rounded(result.seconds))
      .set("latency_ms", Json::object()
                             .set("p50", rounded(verdict.p50_ms))
                             .set("p95", rounded(verdict.p95_ms))
                             .set("p99", rounded(verdict.p99_ms)));
}

std::string what_went_wrong(const demo::RunResult& result) {
  return fmt::format(
      "What went wrong, on purpose\n"
      "  killed      {} by kill -9, {} of them in the middle of work\n"
      "  crashed     {}: handler \"{}\" aborts its whole process on one poison event\n"
      "  failed      {} of the flaky handler \"{}\"; each was tried again a moment later\n\n",
      counted(result.kills, "worker", "workers"), result.kills_in_flight,
      counted(result.crashes, "worker", "workers"), demo::kPoisonHandler,
      counted(result.failures, "attempt", "attempts"), demo::kFlakyHandler);
}

std::string what_came_of_it(const demo::RunResult& result) {
  const demo::Verdict& verdict = result.verdict;
  return fmt::format(
      "What came of it\n"
      "  published   {}, which made {} for {}\n"
      "  handled     {}; {} ran twice, because a kill came between work and completion\n"
      "  taken over  {} of dead workers\n"
      "  dead        {}, kept for you to look at and requeue\n"
      "  latency     p50 {:.0f} ms, p99 {:.0f} ms from publish to handled, behind a backlog kept "
      "full\n"
      "  time        {:.1f} s\n\n",
      counted(result.published, "real webhook", "real webhooks"),
      counted(verdict.deliveries, "delivery", "deliveries"),
      counted(result.handlers, "handler", "handlers"),
      counted(verdict.handled, "delivery", "deliveries"), verdict.duplicates,
      counted(result.takeovers, "lease", "leases"), counted(verdict.dead, "delivery", "deliveries"),
      verdict.p50_ms, verdict.p99_ms, result.seconds);
}

std::string verdict_sentence(const demo::Verdict& verdict) {
  if (verdict.is_good()) {
    return "Verdict: good. Nothing was lost, nothing was made up, every key kept its order, and\n"
           "nothing is left over. The handlers' own journals say so, not penstock's tables.\n\n";
  }
  return fmt::format(
      "Verdict: BROKEN. {} lost, {} unexpected, {} out of order, {} never finished.\n"
      "Please report this with the folder of journals beside the database file.\n\n",
      verdict.lost, verdict.unexpected, verdict.order_violations, verdict.pending);
}

std::string what_next(const demo::RunResult& result) {
  // As it was called, so that the lines can be pasted.
  const std::string program = shell_word(program_invocation_name);
  std::string text = fmt::format(
      "Try next\n"
      "  export PENSTOCK_DB={1}\n"
      "  {0} stats                    how much waits, runs and is dead\n"
      "  {0} list --status dead       the dead letters\n",
      program, url_to_paste(result.url));
  if (!result.dead.empty()) {
    const DeliveryInfo& dead = result.dead.front();
    text += fmt::format(
        "  {0} show {1:<19} what happened to this one\n"
        "  {0} requeue {1:<16} give it a second chance, and a handler that survives it:\n"
        "  {0} handle --handler {2} --types {3} --exec 'cat; echo' --until-idle\n",
        program, dead.id.value, shell_word(dead.handler), shell_word(dead.type));
  }
  return text;
}

}  // namespace

ExitCode run_demo(const Settings& settings, const DemoOptions& options) {
  check(options, settings.db);
  demo::RunOptions run{.db = settings.db.empty() ? kDefaultDb : settings.db,
                       .events = options.events,
                       .workers = options.workers,
                       .kills = options.kills,
                       .server_restarts = options.server_restarts,
                       .restart_command = options.restart_command,
                       .seed = options.seed};
  run.input = options.input.empty() ? std::string{demo::built_in_webhooks()}
                                    : read_whole(options.input, "input", kInputLimit);
  if (!settings.json()) {
    print_text(
        fmt::format("penstock demo: {}, {}, {}, on {}\n\n",
                    counted(static_cast<std::int64_t>(run.events), "real webhook", "real webhooks"),
                    counted(run.workers, "worker process", "worker processes"),
                    counted(run.kills, "kill", "kills"), without_password(run.db)));
  }
  Progress progress{"handled", settings.json() ? Progress::Mode::off : Progress::Mode::on_terminal};
  const demo::RunResult result = demo::run(run, progress);
  progress.finish();
  if (settings.json()) {
    print(json_of(result));
  } else {
    print_text(what_went_wrong(result) + what_came_of_it(result) +
               verdict_sentence(result.verdict) + what_next(result));
  }
  return result.verdict.is_good() ? ExitCode::done : ExitCode::verdict;
}

}  // namespace penstock::cli

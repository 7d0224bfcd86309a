// A function for each command declares its options and says how to run it. This file and
// queue_arguments.cpp alone include the argument parser, which is slow to compile.
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "argument_helpers.hpp"
#include "commands/commands.hpp"
#include "commands/demo.hpp"
#include "demo/worker.hpp"
#include "output/logging.hpp"
#include "penstock/version.hpp"

namespace penstock::cli {
namespace {

constexpr char kFooter[] = R"(
Every command takes --db URL (or the variable PENSTOCK_DB) and --json.
Stores: postgresql://USER@HOST/DATABASE or sqlite:FILE; with ?completion_history=true behind it,
completed deliveries are kept. memory: is for the tests of programs: it ends with the process.

First steps:
  penstock demo                                   see it survive kill -9, in about ten seconds
  export PENSTOCK_DB=sqlite:orders.db
  penstock handlers add mail --types 'order.*'
  penstock publish --type order.paid --key order-42 --payload '{"total": 12.5}'
  penstock stats
  penstock handle --handler mail --exec 'cat; echo' --until-idle
An event goes to the handlers that are subscribed when it is published: add them first.
  penstock enqueue --queue mail --kind receipt --payload '{"order": 42}'
  penstock work --queue mail --kind receipt --exec 'cat; echo' --until-idle

Exit codes: 0 done, 1 failed or not found, 2 usage, 3 unavailable, 4 conflict or in doubt,
5 schema, 6 a verdict (the demo found lost work or broken order).)";

struct LogChoice {
  std::string level = "warning";  // An outage must not pass in silence.
  std::string format{};           // Empty: as the output, so that stderr has one form.
};

void add_demo(CLI::App& app, Request& request) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* const command = add_command(
      app, "demo",
      "Publish real webhooks, kill the workers while they handle them, and prove that nothing is "
      "lost.",
      "Example:\n  penstock demo --db sqlite:p.db --events 20000 --workers 4 --kills 5\n\n"
      "A file must be new, or one that an earlier demo made; without --db it is "
      "penstock-demo.db.\nOn PostgreSQL the demo makes the schema penstock_demo anew.\nExit 6 "
      "means that work was lost or order was broken.");
  command->add_option("--events", options->events, "How many events to publish: 20 or more")
      ->capture_default_str();
  command->add_option("--workers", options->workers, "Worker processes: 1 to 100")
      ->capture_default_str();
  command->add_option("--kills", options->kills, "How many workers to kill with SIGKILL: 0 to 1000")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "For the choice of keys and victims")
      ->capture_default_str();
  command
      ->add_option("--input", options->input, "NDJSON to publish instead of the built-in webhooks")
      ->type_name("FILE");
  command->add_option("--server-restarts", options->server_restarts,
                      "Restarts of the database server during the run: 0 to 100");
  command->add_option("--restart-command", options->restart_command,
                      "Shell command that restarts the database server");
  on_chosen(command, request, options, run_demo);
}

void add_demo_worker(CLI::App& app, Request& request) {
  auto options = std::make_shared<demo::WorkerOptions>();
  CLI::App* const command = app.add_subcommand("demo-worker", "");
  command->group("");  // Hidden: the demo starts it.
  command->add_option("--db", options->db)->required();
  command->add_option("--folder", options->folder)->required();
  command->add_option("--number", options->number)->required();
  command->callback([&request, options] {
    request.command = [options](const Settings&) { return demo::run_worker(*options); };
  });
}

void add_setup(CLI::App& app, Request& request) {
  auto options = std::make_shared<SetupOptions>();
  CLI::App* const command =
      add_command(app, "setup", "Create the tables, or upgrade them. Repeating it is harmless.",
                  "Example:\n  penstock setup --db sqlite:orders.db");
  CLI::Option* const check = command->add_flag_callback(
      "--check", [options] { options->mode = SetupMode::check; },
      "Change nothing; exit 5 where the tables are not current");
  command
      ->add_flag_callback(
          "--force", [options] { options->mode = SetupMode::force; },
          "Upgrade from 0.1.0 though its workers hold leases: what they run is run again")
      ->excludes(check);
  on_chosen(command, request, options, run_setup);
}

void add_sql(CLI::App& app, Request& request) {
  auto options = std::make_shared<SqlOptions>();
  CLI::App* const command =
      add_command(app, "sql", "Print the tables as a SQL script.",
                  "Examples:\n"
                  "  penstock sql --db sqlite:orders.db | sqlite3 orders.db\n"
                  "  penstock sql --db \"$PENSTOCK_DB\" --upgrade > upgrade.sql\n"
                  "  penstock sql --db \"$PENSTOCK_DB\" --roles | psql shop");
  CLI::Option* const upgrade = command->add_flag_callback(
      "--upgrade", [options] { options->script = SqlOptions::Script::upgrade; },
      "Print what converts the tables of version 0.1.0 instead");
  command
      ->add_flag_callback(
          "--roles", [options] { options->script = SqlOptions::Script::roles; },
          "Print what makes roles for publishers, workers and administrators instead")
      ->excludes(upgrade);
  on_chosen(command, request, options, run_sql);
}

void add_publish(CLI::App& app, Request& request) {
  auto options = std::make_shared<PublishOptions>();
  CLI::App* const command = add_command(
      app, "publish", "Publish one event, or with --ndjson many.",
      "Examples:\n"
      "  penstock publish --type order.paid --key order-42 --payload '{\"total\": 12.5}'\n"
      "  penstock publish --type scan.done --payload-file scan.pdf --content-type application/pdf\n"
      "  penstock publish --ndjson events.ndjson\n\n"
      "A line of NDJSON: {\"type\", \"payload\" or \"payload_base64\", \"key\"?, \"id\"?, "
      "\"headers\"?, \"content_type\"?}\n"
      "By default nothing of a file is published when one of its lines is bad. An id that is no\n"
      "UUID becomes one, always the same; the original stays in header penstock-original-id.");
  command->add_option("--type", options->type, "What happened, for example order.paid");
  command->add_option("--key", options->key, "Ordering key: its events are handled in order");
  command->add_option("--payload", options->payload, "The payload, as it is");
  command->add_option("--payload-file", options->payload_file, "Read the payload; - is stdin")
      ->type_name("FILE");
  command->add_option("--content-type", options->content_type,
                      "Of the payload; application/json where absent");
  command->add_option("--id", options->id, "Makes repeating the command harmless");
  command->add_option("--header", options->headers, "name=value; may be given several times")
      ->allow_extra_args(false);
  command->add_option("--ndjson", options->ndjson, "One event a line; - is stdin")
      ->type_name("FILE");
  command->add_flag_callback(
      "--skip-bad", [options] { options->on_bad_line = OnBadLine::skip; },
      "With --ndjson: publish the good lines and report the bad ones");
  on_chosen(command, request, options, run_publish);
}

void add_handle(CLI::App& app, Request& request) {
  auto options = std::make_shared<HandleOptions>();
  CLI::App* const command = add_command(
      app, "handle", "Run a shell command for each event, until SIGTERM or Ctrl-C.",
      "Examples:\n"
      "  penstock handle --handler mail --types 'order.*' --exec './send-mail.sh'\n"
      "  penstock handle --handler mail --exec 'cat; echo' --until-idle\n\n"
      "The command gets the payload on stdin and PENSTOCK_ID, PENSTOCK_TYPE, PENSTOCK_KEY,\n"
      "PENSTOCK_ATTEMPT, PENSTOCK_HANDLER and PENSTOCK_HEADERS (JSON). Its exit code says how the\n"
      "attempt ended: 0 done, 75 not now (--snooze), 65 never (dead letters), anything else is\n"
      "tried again, with the end of stderr kept as the error. Several of these share the work.\n\n"
      "--types and --max-attempts change what is stored of the handler (penstock handlers); they\n"
      "can be left away where it is subscribed already.\n\n"
      "SIGTERM and Ctrl-C let running commands finish within --grace and hand back the rest. Said\n"
      "again after a second or more, the running commands are killed at once; their work is taken\n"
      "over when its lease has expired.");
  command->add_option("--handler", options->handler, "Name of the handler")->required();
  command
      ->add_option("--types", options->types,
                   "Event types: exact, a.* or *; comma-separated. As they are where absent")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--exec", options->command, "Shell command")->required();
  command->add_option("--concurrency", options->concurrency, "Commands at the same time")
      ->capture_default_str();
  command->add_option("--max-attempts", options->max_attempts,
                      "Then the dead letters. As it is where absent; 25 for a new handler");
  add_duration(*command, "--timeout", options->timeout, "Longest run of a command; 0: no limit");
  add_duration(*command, "--snooze", options->snooze, "Delay after exit 75");
  command
      ->add_option_function<std::string>(
          "--retry-delay",
          [options](const std::string& text) {
            options->retry_delay = parse_duration(text);
            if (!options->retry_delay) {
              throw CLI::ValidationError("--retry-delay", "expected a duration, found " + text);
            }
          },
          "Fixed delay after a failure, instead of a growing one")
      ->type_name("DURATION");
  add_duration(*command, "--lease", options->lease, "After this a silent worker is replaced");
  add_duration(*command, "--grace", options->grace, "At a stop, time for running commands");
  command->add_flag_callback(
      "--until-idle", [options] { options->until = Until::idle; },
      "End when nothing can be taken now, and say what is left behind");
  on_chosen(command, request, options, run_handle);
}

void add_handler_change(CLI::App& parent, Request& request, const std::string& name,
                        const std::string& help, SubscriptionState state) {
  auto handler = std::make_shared<std::string>();
  CLI::App* const command =
      add_command(parent, name, help, "Example:\n  penstock handlers " + name + " mail");
  command->add_option("handler", *handler, "Name of the handler")->required();
  command->callback([&request, handler, state] {
    request.command = [handler, state](const Settings& settings) {
      return run_handlers_change(settings, *handler, state);
    };
  });
}

void add_handlers(CLI::App& app, Request& request) {
  CLI::App* const command =
      add_command(app, "handlers", "List, add, pause, resume or remove handlers.",
                  "Examples:\n  penstock handlers\n  penstock handlers pause mail");
  command->require_subcommand(0, 1);
  command->callback([&request, command] {
    if (command->get_subcommands().empty()) request.command = run_handlers_list;
  });
  on_chosen(
      add_command(*command, "list", "Who gets which events.", "Example:\n  penstock handlers list"),
      request, run_handlers_list);
  auto options = std::make_shared<HandlerAddOptions>();
  CLI::App* const add = add_command(
      *command, "add", "Subscribe a handler before any worker runs, so that events wait for it.",
      "Example:\n  penstock handlers add mail --types 'order.*'");
  add->add_option("handler", options->handler, "Name of the handler")->required();
  add->add_option("--types", options->types, "Event types: exact, a.* or *; comma-separated")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false);
  add->add_option("--max-attempts", options->max_attempts, "Then the dead letters")
      ->capture_default_str();
  on_chosen(add, request, options, run_handlers_add);
  add_handler_change(*command, request, "pause", "Leave the handler's work alone.",
                     SubscriptionState::paused);
  add_handler_change(*command, request, "resume", "Take up a paused handler's work again.",
                     SubscriptionState::active);
  add_handler_change(*command, request, "remove",
                     "Events published from now on do not wait for it; its pending work stays.",
                     SubscriptionState::removed);
}

void add_list(CLI::App& app, Request& request) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* const command = add_command(app, "list", "List deliveries, by id.",
                                        "Example:\n  penstock list --status dead --handler mail");
  command->add_option("--status", options->status, "pending, in_flight, dead or completed");
  command->add_option("--handler", options->handler, "Of this handler");
  command->add_option("--type", options->type, "Of this exact event type");
  command->add_option("--key", options->key, "Of this ordering key");
  command->add_option("--event", options->event, "Of this event")->type_name("UUID");
  command->add_option("--after", options->after, "Only ids above this: the next page");
  command->add_option("--limit", options->limit, "Most rows")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  on_chosen(command, request, options, run_list);
}

void add_show(CLI::App& app, Request& request) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* const command = add_command(
      app, "show", "Show one delivery, or those of one event, and why it is not running.",
      "Examples:\n  penstock show 42\n  penstock show 018f3c1e-7d5a-7c3e-9a51-0c7e2b8d4f60");
  command->add_option("id", options->id, "Number of a delivery, or UUID of an event")->required();
  command->add_flag_callback(
      "--payload", [options] { options->payload = ShowOptions::Payload::show; },
      "Also the payload; in base64 where it is no UTF-8");
  on_chosen(command, request, options, run_show);
}

void add_selection(CLI::App& command, SelectionOptions& options) {
  command.add_option("id", options.id, "Number of a delivery, or UUID of an event");
  command.add_option("--handler", options.handler, "All of this handler");
  command.add_flag("--all", options.all, "All of every handler");
}

void add_requeue(CLI::App& app, Request& request) {
  auto options = std::make_shared<RequeueOptions>();
  CLI::App* const command = add_command(
      app, "requeue", "Give dead deliveries a second chance, with a fresh budget of attempts.",
      "Examples:\n  penstock requeue 42\n  penstock requeue --handler mail");
  add_selection(*command, options->selection);
  on_chosen(command, request, options, run_requeue);
}

void add_bury(CLI::App& app, Request& request) {
  auto options = std::make_shared<BuryOptions>();
  CLI::App* const command =
      add_command(app, "bury", "Move pending or running deliveries to the dead letters.",
                  "Example:\n  penstock bury 42 --reason 'customer is gone'");
  add_selection(*command, options->selection);
  command->add_option("--reason", options->reason, "Kept as the last error")->capture_default_str();
  on_chosen(command, request, options, run_bury);
}

void add_purge(CLI::App& app, Request& request) {
  auto options = std::make_shared<PurgeOptions>();
  CLI::App* const command = add_command(
      app, "purge", "Delete what outlived its retention. Running workers do this every hour.",
      "Example:\n  penstock purge --completed 7d --dead 30d");
  add_duration(*command, "--completed", options->retention.completed,
               "Keep finished events and the history for");
  add_duration(*command, "--dead", options->retention.dead, "Keep dead letters for");
  on_chosen(command, request, options, run_purge);
}

void add_lanes(CLI::App& app, Request& request) {
  auto options = std::make_shared<LanesOptions>();
  CLI::App* const command =
      add_command(app, "lanes", "Show which worker holds which lane, and what is in flight there.",
                  "Example:\n  penstock lanes");
  command->add_flag_callback(
      "--all", [options] { options->which = LanesOptions::Which::all; },
      "Also lanes that nobody holds now");
  on_chosen(command, request, options, run_lanes);
}

void add_globals(CLI::App& app, Settings& settings, LogChoice& log) {
  app.add_option("--db", settings.db, "The store, as below; where absent that of PENSTOCK_DB")
      ->type_name("URL");
  app.add_flag_callback(
      "--json", [&settings] { settings.format = Format::json; }, "Print JSON for programs");
  app.add_option("--log-level", log.level, "The least serious that is logged to stderr")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->capture_default_str();
  app.add_option("--log-format", log.format, "Of the log; where absent text, with --json json")
      ->check(CLI::IsMember({"text", "json"}));
  app.set_version_flag("--version", std::string{"penstock "} + kVersion);
}

LogLevel level_of(const std::string& name) {
  if (name == "debug") return LogLevel::debug;
  if (name == "info") return LogLevel::info;
  return name == "error" ? LogLevel::error : LogLevel::warning;
}

Log log_of(const LogChoice& choice, Format output) {
  const bool as_json = choice.format.empty() ? output == Format::json : choice.format == "json";
  return make_log(level_of(choice.level), as_json ? LogFormat::json : LogFormat::text);
}

}  // namespace

Request parse_arguments(int count, const char* const* arguments) {
  Request request;
  LogChoice log;
  CLI::App app{"penstock: a durable event bus and job queue in the database a program already has.",
               "penstock"};
  app.require_subcommand(1);
  app.footer(kFooter);
  add_globals(app, request.settings, log);
  for (const auto add :
       {add_demo, add_demo_worker, add_setup, add_publish, add_handle, add_handlers, add_list,
        add_show, add_requeue, add_bury, add_purge, add_lanes, add_sql, add_queue_commands}) {
    add(app, request);
  }
  on_chosen(add_command(app, "stats", "How much waits, runs and is dead, by handler.",
                        "Example:\n  penstock stats --json"),
            request, run_stats);
  on_chosen(add_command(app, "pages",
                        "Show what one delivery leaves on PostgreSQL's pages, in a schema of its "
                        "own that goes again.",
                        "Example:\n  penstock pages --db postgresql:///shop\n\n"
                        "Needs the extension pageinspect in that database and a superuser, who\n"
                        "alone may read pages: create extension pageinspect"),
            request, run_pages);
  on_chosen(add_command(app, "version", "Print the version.", "Example:\n  penstock version"),
            request, run_version);
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      app.exit(error);
      return {};
    }
    const std::vector<std::string> rest = app.remaining();
    if (app.get_subcommands().empty() && !rest.empty() && !rest.front().starts_with('-')) {
      throw Error(ErrorKind::usage,
                  "no command \"" + rest.front() + "\"; penstock --help lists them",
                  {.field = "arguments"});
    }
    throw Error(
        ErrorKind::usage,
        std::string{error.what()} + "; `penstock --help` and `penstock COMMAND --help` teach",
        {.field = "arguments"});
  }
  request.settings.log = log_of(log, request.settings.format);
  return request;
}

Format format_of(int count, const char* const* arguments) noexcept {
  for (int i = 1; i < count; ++i) {
    if (std::string_view{arguments[i]} == "--json") return Format::json;
  }
  return Format::people;
}

}  // namespace penstock::cli

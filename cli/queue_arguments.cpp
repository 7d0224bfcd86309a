// The commands of the queue, as arguments.cpp has the others.
#include <CLI/CLI.hpp>

#include "argument_helpers.hpp"
#include "commands/queue_commands.hpp"

namespace penstock::cli {
namespace {

void add_enqueue(CLI::App& app, Request& request) {
  auto options = std::make_shared<EnqueueOptions>();
  CLI::App* const command = add_command(
      app, "enqueue", "Store one job, or many from a file, all or none.",
      "Examples:\n"
      "  penstock enqueue --queue mail --kind receipt --payload '{\"order\": 42}'\n"
      "  penstock enqueue --queue mail --kind reminder --delay 1h --unique-key order-42\n"
      "  penstock enqueue --ndjson jobs.ndjson\n\n"
      "A line is {\"queue\", \"kind\", \"payload\" or \"payload_base64\", \"priority\"?, "
      "\"key\"?,\n"
      "\"run_at\"?, \"delay\"?, \"max_attempts\"?, \"unique_key\"?, \"unique_states\"?, "
      "\"deadline\"?,\n"
      "\"headers\"?, \"content_type\"?}.");
  command->add_option("--queue", options->queue, "The queue; it exists from its first job on");
  command->add_option("--kind", options->kind, "What to do, for example receipt");
  command->add_option("--payload", options->payload, "The payload, as it is");
  command->add_option("--payload-file", options->payload_file, "Read the payload; - is stdin")
      ->type_name("FILE");
  command->add_option("--priority", options->priority, "1 (first) to 4")->capture_default_str();
  command->add_option("--key", options->key, "Ordering key: its jobs are claimed in order");
  command->add_option("--run-at", options->run_at, "Not before, for example 2026-12-01T12:00:00Z");
  command->add_option("--delay", options->delay, "Not before this long from now")
      ->type_name("DURATION");
  command->add_option("--max-attempts", options->max_attempts, "Then the dead letters: 1 to 1000")
      ->capture_default_str();
  command->add_option("--unique-key", options->unique_key,
                      "Nothing is stored while another job holds it");
  command
      ->add_option("--unique-states", options->unique_states,
                   "While the job is in these; comma-separated. Until it has ended where absent")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--deadline", options->deadline, "Longest run of one attempt; 0s: none")
      ->type_name("DURATION");
  command->add_option("--content-type", options->content_type,
                      "Of the payload; application/json where absent");
  command->add_option("--header", options->headers, "name=value; may be given several times")
      ->allow_extra_args(false);
  command->add_option("--ndjson", options->ndjson, "One job a line; - is stdin")->type_name("FILE");
  command->add_flag_callback(
      "--skip-bad", [options] { options->on_bad_line = OnBadLine::skip; },
      "With --ndjson: enqueue the good lines and report the bad ones");
  on_chosen(command, request, options, run_enqueue);
}

void add_work(CLI::App& app, Request& request) {
  auto options = std::make_shared<WorkOptions>();
  CLI::App* const command = add_command(
      app, "work", "Run a shell command for each job of some queues, until SIGTERM or Ctrl-C.",
      "Example:\n"
      "  penstock work --queue mail --kind receipt --exec './send-mail.sh'\n\n"
      "The command gets the payload on stdin and PENSTOCK_ID, PENSTOCK_QUEUE, PENSTOCK_KIND,\n"
      "PENSTOCK_KEY, PENSTOCK_ATTEMPT and PENSTOCK_HEADERS (JSON). Its exit code says how the\n"
      "attempt ended: 0 done, 75 not now (--snooze), 65 never (dead letters), anything else is\n"
      "tried again, with the end of stderr kept as the error. Several of these share the work.\n"
      "Jobs of other kinds are put back for a worker that knows them.");
  command->add_option("--queue", options->queues, "Queues; comma-separated or given again")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  command->add_option("--kind", options->kinds, "Kinds; comma-separated or given again")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->required();
  command->add_option("--exec", options->command, "Shell command")->required();
  command->add_option("--concurrency", options->concurrency, "Commands at the same time")
      ->capture_default_str();
  command
      ->add_option("--rate", options->rate,
                   "Begun per second by this process, for each queue; 0: no limit")
      ->capture_default_str();
  add_duration(*command, "--deadline", options->deadline,
               "Longest run where the job names none; 0s: no limit");
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
  add_duration(*command, "--lease", options->lease, "After this a silent worker is given up");
  add_duration(*command, "--grace", options->grace, "At a stop, time for running commands");
  command->add_flag_callback(
      "--until-idle", [options] { options->until = Until::idle; },
      "End when nothing can be taken now");
  on_chosen(command, request, options, run_work);
}

void add_queue_set(CLI::App& app, Request& request) {
  CLI::App* const parent = add_command(app, "queue", "Change one queue.",
                                       "Example:\n  penstock queue set mail --shards 4");
  parent->require_subcommand(1);
  auto options = std::make_shared<QueueSetOptions>();
  CLI::App* const command = add_command(
      *parent, "set", "Set the width of a queue, pause it or let it go on.",
      "Examples:\n  penstock queue set mail --shards 4\n  penstock queue set mail --pause\n\n"
      "With 1 shard jobs of one priority are claimed strictly in order; with more, in order "
      "within\n"
      "each shard, and producers wait less for one another.");
  command->add_option("queue", options->queue, "The queue")->required();
  command->add_option("--shards", options->shards, "1 to 64");
  command->add_flag_callback(
      "--pause", [options] { options->paused = true; }, "Take jobs, give none");
  command->add_flag_callback("--resume", [options] { options->paused = false; }, "Give jobs again");
  on_chosen(command, request, options, run_queue_set);
}

using Change = ExitCode (*)(const Settings&, const JobsChangeOptions&);

CLI::App* add_change(CLI::App& parent, Request& request, const std::string& name,
                     const std::string& help, const std::shared_ptr<JobsChangeOptions>& options,
                     Change run) {
  CLI::App* const command =
      add_command(parent, name, help, "Example:\n  penstock jobs " + name + " 42 43");
  command->add_option("ids", options->ids, "Numbers of jobs")->required();
  on_chosen(command, request, options, run);
  return command;
}

void add_jobs(CLI::App& app, Request& request) {
  CLI::App* const parent =
      add_command(app, "jobs", "Look at jobs; cancel, requeue, bury or move them.",
                  "Examples:\n  penstock jobs list --state running\n  penstock jobs show 42");
  parent->require_subcommand(1);
  {
    auto options = std::make_shared<JobsListOptions>();
    CLI::App* const command = add_command(*parent, "list", "One page of jobs of one state.",
                                          "Example:\n  penstock jobs list --state dead");
    command
        ->add_option("--state", options->state,
                     "scheduled, ready, running, retrying, dead, completed or cancelled")
        ->capture_default_str();
    command->add_option("--queue", options->queue, "Of this queue");
    command->add_option("--kind", options->kind, "Of this kind");
    command->add_option("--after", options->after, "Only ids above this: the next page");
    command->add_option("--limit", options->limit, "Most rows")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    on_chosen(command, request, options, run_jobs_list);
  }
  {
    auto options = std::make_shared<JobsShowOptions>();
    CLI::App* const command = add_command(*parent, "show", "One job, and why it is not running.",
                                          "Example:\n  penstock jobs show 42");
    command->add_option("id", options->id, "Number of the job")->required();
    command->add_flag("--payload", options->payload,
                      "Also the payload; in base64 where it is no UTF-8");
    on_chosen(command, request, options, run_jobs_show);
  }
  add_change(*parent, request, "cancel",
             "End jobs that have not ended; a running one is asked to stop.",
             std::make_shared<JobsChangeOptions>(), run_jobs_cancel);
  add_change(*parent, request, "requeue", "Give dead jobs a second chance, with a fresh budget.",
             std::make_shared<JobsChangeOptions>(), run_jobs_requeue);
  auto bury = std::make_shared<JobsChangeOptions>();
  add_change(*parent, request, "bury", "Make dead letters of jobs that have not ended.", bury,
             run_jobs_bury)
      ->add_option("--reason", bury->reason, "Kept as the last error")
      ->capture_default_str();
  auto move = std::make_shared<JobsChangeOptions>();
  CLI::App* const command =
      add_change(*parent, request, "move", "Move jobs that wait to another queue or priority.",
                 move, run_jobs_move);
  command->add_option("--queue", move->queue, "To this queue");
  command->add_option("--priority", move->priority, "To this priority");
}

void add_dead(CLI::App& app, Request& request) {
  CLI::App* const parent = add_command(
      app, "dead", "Dead jobs by filter: list, requeue, purge.",
      "Examples:\n  penstock dead list\n  penstock dead requeue --queue mail --dry-run");
  parent->require_subcommand(1);
  {
    auto options = std::make_shared<JobsListOptions>();
    options->state = "dead";
    CLI::App* const command = add_command(*parent, "list", "One page of dead jobs.",
                                          "Example:\n  penstock dead list --queue mail");
    command->add_option("--queue", options->queue, "Of this queue");
    command->add_option("--kind", options->kind, "Of this kind");
    command->add_option("--after", options->after, "Only ids above this: the next page");
    command->add_option("--limit", options->limit, "Most rows")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    on_chosen(command, request, options, run_jobs_list);
  }
  const auto add_filter = [&](const std::string& name, const std::string& help,
                              ExitCode (*run)(const Settings&, const DeadOptions&)) {
    auto options = std::make_shared<DeadOptions>();
    CLI::App* const command =
        add_command(*parent, name, help, "Example:\n  penstock dead " + name + " --queue mail");
    command->add_option("ids", options->ids, "Numbers of jobs");
    command->add_option("--queue", options->queue, "Of this queue");
    command->add_option("--kind", options->kind, "Of this kind");
    command->add_flag("--all", options->all, "All of them");
    command->add_flag("--dry-run", options->dry_run, "Only say how many");
    on_chosen(command, request, options, run);
  };
  add_filter("requeue", "Give dead jobs a second chance, with a fresh budget.", run_dead_requeue);
  add_filter("purge", "Delete dead jobs now.", run_dead_purge);
}

}  // namespace

void add_queue_commands(CLI::App& app, Request& request) {
  add_enqueue(app, request);
  add_work(app, request);
  on_chosen(add_command(app, "queues", "How much waits, runs and is dead, by queue.",
                        "Example:\n  penstock queues --json"),
            request, run_queues);
  add_queue_set(app, request);
  add_jobs(app, request);
  add_dead(app, request);
}

}  // namespace penstock::cli

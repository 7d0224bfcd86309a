// The verbs that the contract tests of the queue are written in.
#include "contract/queue/queue_contract.hpp"

#include <barrier>
#include <ostream>
#include <thread>

#include "work/lane_hash.hpp"

namespace penstock::contract {

void PrintTo(const QueueUnderTest& store, std::ostream* out) { *out << store.name; }

void QueueContract::start(const StoreSetup& setup) {
  forget_workers();
  fixture_.reset();
  clock_ = std::make_shared<ManualClock>();
  fixture_ = GetParam().make(clock_, setup);
}

void QueueContract::reopen() {
  forget_workers();
  fixture_->reopen();
}

// Sources and maintenance live no longer than their store.
void QueueContract::forget_workers() {
  maintenance_.reset();
  sources_.clear();
  claimed_by_.clear();
}

void QueueContract::advance(Duration by) {
  clock_->advance(by);
  fixture_->clock_moved();
}

Enqueued QueueContract::try_enqueue(NewJob job) {
  const std::vector<Enqueued> enqueued = queue().enqueue({&job, 1}, nullptr);
  EXPECT_EQ(enqueued.size(), 1U);
  return enqueued.at(0);
}

Enqueued QueueContract::enqueue_in(const Transaction& transaction, NewJob job) {
  return queue().enqueue({&job, 1}, &transaction).at(0);
}

JobId QueueContract::enqueue(NewJob job) {
  const Enqueued enqueued = try_enqueue(std::move(job));
  EXPECT_TRUE(enqueued.created);
  return enqueued.id;
}

std::vector<JobId> QueueContract::enqueue_batch(int count, NewJob like) {
  std::vector<NewJob> jobs;
  for (int i = 0; i < count; ++i) {
    like.payload = std::to_string(i);
    jobs.push_back(like);
  }
  return jobs_of(queue().enqueue(jobs, nullptr));
}

std::vector<JobId> QueueContract::enqueue_each(int count, NewJob like) {
  std::vector<JobId> ids;
  for (int i = 0; i < count; ++i) {
    like.payload = std::to_string(i);
    ids.push_back(enqueue(like));
  }
  return ids;
}

JobSource& QueueContract::source(const std::string& worker, const JobSourceOptions& options) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<JobSource>& source = sources_[worker];
  if (!source) source = queue().source(options);
  return *source;
}

JobSource& QueueContract::source_of(const Token& token) {
  std::string worker = "worker-a";
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = claimed_by_.find(token.fence); found != claimed_by_.end()) {
      worker = found->second;
    }
  }
  return source(worker);
}

Claimed QueueContract::claim(const JobWish& wish) {
  std::vector<HandlerRoom> rooms;
  for (const std::string& queue : wish.queues) rooms.push_back({queue, wish.room});
  const WorkerId worker{wish.worker};
  Claimed claimed = source(wish.worker)
                        .claim({.worker = worker,
                                .handlers = rooms,
                                .limit = wish.limit,
                                .lease = kLease,
                                .suspects = wish.suspects});
  const std::scoped_lock lock(mutex_);
  for (const Work& work : claimed.work) claimed_by_[work.token.fence] = wish.worker;
  return claimed;
}

Work QueueContract::take_one(JobWish wish) {
  std::vector<Work> work = take(wish);
  EXPECT_EQ(work.size(), 1U) << "exactly one job should have been ready";
  if (work.empty()) throw std::runtime_error("nothing was claimed");
  return work.front();
}

std::vector<Work> QueueContract::take_all(const JobWish& wish) {
  constexpr int kPatience = 100;
  std::vector<Work> all;
  for (int in_vain = 0; in_vain < kPatience;) {
    Claimed claimed = claim(wish);
    for (Work& one : claimed.work) all.push_back(std::move(one));
    if (!claimed.work.empty()) continue;
    const bool ask_again = claimed.next_due_in.value_or(1s) == 0s;
    in_vain = ask_again ? in_vain + 1 : kPatience;
  }
  return all;
}

std::vector<JobId> QueueContract::drain(JobWish wish) {
  wish.suspects = SuspectPolicy::take_alone;
  std::vector<JobId> ids;
  while (true) {
    const std::vector<Work> work = take(wish);
    if (work.empty()) return ids;
    for (const Verdict verdict : source(wish.worker).complete(tokens_of(work), nullptr)) {
      EXPECT_EQ(verdict, Verdict::done);
    }
    for (const Work& one : work) ids.push_back(one.job->id);
  }
}

Verdict QueueContract::complete(const Token& token) {
  return source_of(token).complete({&token, 1}, nullptr).at(0);
}

Verdict QueueContract::retry(const Token& token, Duration delay, std::string error) {
  const Reschedule item{.token = token, .delay = delay, .error = std::move(error)};
  return source_of(token).reschedule({&item, 1}).at(0);
}

Verdict QueueContract::snooze(const Token& token, Duration delay) {
  const Reschedule item{.token = token, .delay = delay, .charge = Charge::keep};
  return source_of(token).reschedule({&item, 1}).at(0);
}

Verdict QueueContract::bury(const Token& token, std::string reason) {
  const Bury item{.token = token, .reason = std::move(reason)};
  return source_of(token).bury({&item, 1}).at(0);
}

Verdict QueueContract::release(const Token& token) {
  return source_of(token).release({&token, 1}).at(0);
}

Verdict QueueContract::extend(const Token& token) {
  return source_of(token).extend({&token, 1}, kLease).at(0);
}

Verdict QueueContract::save_progress(const Token& token, std::string_view json) {
  return source_of(token).save_progress(token, json);
}

void QueueContract::beat(const std::string& worker) { (void)source(worker).extend({}, kLease); }

JobId QueueContract::enqueue_dead(NewJob job) {
  const JobWish wish{.worker = "undertaker", .queues = {job.queue}};
  const JobId id = enqueue(std::move(job));
  const Work work = take_one(wish);
  EXPECT_EQ(work.job->id, id);
  EXPECT_EQ(bury(work.token), Verdict::done);
  return id;
}

std::unique_ptr<QueueMaintenance> QueueContract::maintenance(MaintenanceOptions options) {
  if (options.worker.value().empty()) options.worker = WorkerId{"caretaker"};
  options.lease = kLease;
  options.stopwatch = [this] { return stopwatch_; };
  return queue().maintenance(std::move(options));
}

Maintained QueueContract::maintain() {
  if (!maintenance_) maintenance_ = maintenance();
  return maintenance_->step_all();
}

Maintained QueueContract::pass(Duration by, const std::vector<std::string>& living) {
  constexpr Duration kStep = 5s;
  Maintained sum = maintain();
  for (Duration passed{}; passed < by; passed += kStep) {
    advance(kStep);
    move_stopwatch(kStep);
    for (const std::string& worker : living) beat(worker);
    const Maintained step = maintain();
    sum.promoted += step.promoted;
    sum.rescued += step.rescued;
    sum.buried += step.buried;
    sum.purged += step.purged;
  }
  return sum;
}

std::vector<Work> QueueContract::crash(const JobWish& wish) {
  std::vector<Work> work = take(wish);
  EXPECT_FALSE(work.empty()) << "nothing was in flight";
  pass(kLease + 10s);
  return work;
}

JobInfo QueueContract::info(JobId id) {
  const std::optional<JobInfo> found = show(id);
  if (!found) throw std::runtime_error("no job " + std::to_string(id.value));
  return *found;
}

StoredJob QueueContract::stored(JobId id) {
  const JobInfo found = info(id);
  if (!found.job) throw std::runtime_error("show gives no stored job");
  return *found.job;
}

std::optional<JobState> QueueContract::state_of(JobId id) {
  const std::optional<JobInfo> found = show(id);
  return found ? std::optional(found->state) : std::nullopt;
}

std::vector<JobInfo> QueueContract::find(JobQuery query) {
  std::vector<JobInfo> items;
  while (true) {
    JobPage page = queue().list(query);
    for (JobInfo& item : page.items) items.push_back(std::move(item));
    if (!page.next) return items;
    query.after = *page.next;
  }
}

LaneCounts QueueContract::lane(int shard, int priority, std::string_view queue) {
  for (const LaneCounts& lane : lanes(queue)) {
    if (lane.priority == priority && lane.shard == shard) return lane;
  }
  return {.queue = std::string(queue), .priority = priority, .shard = shard};
}

std::vector<LaneCounts> QueueContract::lanes(std::string_view name) {
  std::vector<LaneCounts> lanes = queue().statistics(Counting::exact).lanes;
  std::erase_if(lanes, [&](const LaneCounts& lane) { return lane.queue != name; });
  return lanes;
}

AsideCounts QueueContract::aside(int priority, std::string_view name) {
  for (const AsideCounts& aside : queue().statistics(Counting::exact).aside) {
    if (aside.queue == name && aside.priority == priority) return aside;
  }
  return {.queue = std::string(name), .priority = priority};
}

bool QueueContract::is_alive(std::string_view name) {
  for (const QueueWorker& worker : queue().statistics(Counting::exact).workers) {
    if (worker.name == name && worker.alive) return true;
  }
  return false;
}

NewJob job(std::string payload) {
  return {.queue = "q", .kind = "k", .payload = std::move(payload)};
}

NewJob keyed_job(std::string key, std::string payload) {
  return {.queue = "q", .kind = "k", .payload = std::move(payload), .key = std::move(key)};
}

NewJob unique_job(std::string key, JobStates states) {
  return {.queue = "q", .kind = "k", .unique_key = std::move(key), .unique_states = states};
}

std::vector<JobId> jobs_of(const std::vector<Work>& work) {
  std::vector<JobId> ids;
  for (const Work& one : work) ids.push_back(one.job->id);
  return ids;
}

std::vector<JobId> jobs_of(const std::vector<JobInfo>& items) {
  std::vector<JobId> ids;
  for (const JobInfo& item : items) ids.push_back(item.id);
  return ids;
}

std::vector<JobId> jobs_of(const std::vector<Enqueued>& enqueued) {
  std::vector<JobId> ids;
  for (const Enqueued& one : enqueued) ids.push_back(one.id);
  return ids;
}

std::vector<std::string> payloads_of(const std::vector<Work>& work) {
  std::vector<std::string> payloads;
  for (const Work& one : work) payloads.push_back(one.job->job.payload);
  return payloads;
}

std::string key_of_shard(int shard, int width, int n) {
  for (int i = 0;; ++i) {
    std::string key = "key-" + std::to_string(i);
    if (work::shard_of(key, width) == shard && n-- == 0) return key;
  }
}

std::string squeezed(std::string json) {
  std::erase(json, ' ');
  return json;
}

void at_once(int count, const std::function<void(int)>& body) {
  std::barrier start(count);
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
}

}  // namespace penstock::contract

// A file of events, in one transaction.
#include "input/ndjson_publisher.hpp"

#include "input/ndjson_line.hpp"

namespace penstock::cli {
namespace {

void count(NdjsonReport& report, const std::vector<Published>& batch) {
  for (const Published& published : batch) {
    const bool created = published.status == PublishStatus::created;
    ++(created ? report.published : report.duplicates);
    if (created && published.handlers.empty()) ++report.without_handler;
    report.deliveries += static_cast<std::int64_t>(published.handlers.size());
  }
}

}  // namespace

NdjsonReport publish_ndjson(BusStore& store, const std::string& path, OnBadLine on_bad_line,
                            Progress& progress) {
  NdjsonReport report;
  const auto transaction = store.begin();
  take_ndjson<Event>(
      path, on_bad_line, "published", progress, parse_ndjson_line,
      [&](std::span<const Event> events) {
        count(report, store.publish(events, transaction.get()));
      },
      report.skipped);
  transaction->commit();
  return report;
}

}  // namespace penstock::cli

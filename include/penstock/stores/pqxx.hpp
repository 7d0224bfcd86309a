// Publishing in a transaction of libpqxx: header-only, so that only programs that have libpqxx need
// it. A program that works with several stores, or that handles events, uses Bus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "penstock/bus_store.hpp"
#include "penstock/error.hpp"
#include "penstock/event.hpp"

namespace penstock::postgres {

struct PqxxPublisherOptions {
  /// Those of the store: see PostgresStoreOptions.
  std::string schema = "penstock";
  std::string prefix{};
};

/// Publishes in transactions that a program begins with libpqxx: the events exist when, and only
/// if, the program commits. Needs the tables: run `penstock setup` first. Links penstock::core.
///
/// Threads: immutable; a transaction is used by one thread at a time.
class PqxxPublisher {
 public:
  explicit PqxxPublisher(PqxxPublisherOptions options = {}) : options_(std::move(options)) {}

  /// Stores one event with a delivery for every subscribed handler. Answers with its id.
  ///
  /// The connection must have client_encoding UTF8. Where it throws, roll back: the server has
  /// ended the transaction. Throws: usage, schema; what libpqxx throws for everything else.
  EventId publish(pqxx::transaction_base& transaction, const Event& event) const {
    return publish(transaction, std::span<const Event>(&event, 1)).front().id;
  }

  /// Stores events, in one statement for each 1,000 of them or 4 MiB. Answers in their order.
  ///
  /// Throws: as for one event.
  std::vector<Published> publish(pqxx::transaction_base& transaction,
                                 std::span<const Event> events) const {
    std::vector<Published> published;
    published.reserve(events.size());
    while (published.size() < events.size()) {
      const std::span<const Event> chunk = chunk_of(events.subspan(published.size()));
      publish_chunk(transaction, chunk, published);
    }
    return published;
  }

 private:
  static constexpr std::size_t kChunkEvents = 1'000;
  static constexpr std::size_t kChunkBytes = std::size_t{4} * 1024 * 1024;

  /// An SQL array, written piece by piece.
  class Array {
   public:
    void add(std::string_view element) {
      if (!text_.empty()) text_ += ',';
      text_ += element;
    }
    [[nodiscard]] std::string as(std::string_view type) const {
      return "array[" + text_ + "]::" + std::string(type) + "[]";
    }

   private:
    std::string text_{};
  };

  static std::span<const Event> chunk_of(std::span<const Event> events) {
    std::size_t count = 0;
    std::size_t bytes = 0;
    while (count < std::min(events.size(), kChunkEvents) && bytes < kChunkBytes) {
      bytes += events[count++].payload.size();
    }
    return events.first(count);
  }

  /// libpq would end the text at a NUL, and say nothing.
  static std::string quoted(const pqxx::transaction_base& transaction, std::string_view field,
                            const std::string& text) {
    if (text.find('\0') != std::string::npos) {
      throw Error(ErrorKind::usage, std::string(field) + " must not contain a NUL",
                  {.operation = "publish", .field = std::string(field)});
    }
    try {
      return transaction.quote(text);
    } catch (const pqxx::argument_error&) {
      throw Error(ErrorKind::usage, std::string(field) + " must be valid UTF-8",
                  {.operation = "publish", .field = std::string(field)});
    }
  }

  static std::string headers_expression(const pqxx::transaction_base& transaction,
                                        const Headers& headers) {
    if (headers.empty()) return "null";
    Array names;
    Array values;
    for (const auto& [name, value] : headers) {
      names.add(quoted(transaction, "headers", name));
      values.add(quoted(transaction, "headers", value));
    }
    return "pg_catalog.jsonb_object(" + names.as("text") + ',' + values.as("text") + ')';
  }

  [[nodiscard]] std::string statement_for(const pqxx::transaction_base& transaction,
                                          std::span<const Event> events) const {
    Array ids;
    Array types;
    Array keys;
    Array content_types;
    Array headers;
    Array payloads;
    for (const Event& event : events) {
      ids.add(event.id ? '\'' + event.id->to_string() + '\'' : "null");
      types.add(quoted(transaction, "type", event.type));
      keys.add(event.key ? quoted(transaction, "key", *event.key) : "null");
      content_types.add(quoted(transaction, "content_type", event.content_type));
      headers.add(headers_expression(transaction, event.headers));
      payloads.add(transaction.quote_raw(
          reinterpret_cast<const unsigned char*>(event.payload.data()), event.payload.size()));
    }
    return "select id, created, handlers from " + transaction.quote_name(options_.schema) + '.' +
           transaction.quote_name(options_.prefix + "publish_checked") + '(' + ids.as("uuid") +
           ',' + types.as("text") + ',' + keys.as("text") + ',' + content_types.as("text") + ',' +
           headers.as("jsonb") + ',' + payloads.as("bytea") + ") order by ordinal";
  }

  void publish_chunk(pqxx::transaction_base& transaction, std::span<const Event> chunk,
                     std::vector<Published>& published) const {
    try {
      for (const auto& row : transaction.exec(statement_for(transaction, chunk))) {
        published.push_back(
            {.id = EventId::parse(row[0].c_str()).value(),
             .status = row[1].as<bool>() ? PublishStatus::created : PublishStatus::duplicate,
             .handlers = texts_of(row[2])});
      }
    } catch (const pqxx::sql_error& error) {
      throw_as_ours(error, published.size());
      throw;
    }
  }

  static std::vector<std::string> texts_of(const pqxx::field& field) {
    using Juncture = pqxx::array_parser::juncture;
    std::vector<std::string> texts;
    auto parser = field.as_array();
    for (auto [found, text] = parser.get_next(); found != Juncture::done;
         std::tie(found, text) = parser.get_next()) {
      if (found == Juncture::string_value) texts.push_back(text);
    }
    return texts;
  }

  /// Returns where the failure is of the connection or the transaction, which libpqxx tells best.
  static void throw_as_ours(const pqxx::sql_error& error, std::size_t events_before) {
    const std::string& code = error.sqlstate();
    // From "ERROR:  what it is" and lines of context.
    std::string text = error.what();
    text = text.substr(0, text.find('\n'));
    if (const std::size_t colon = text.find(":  "); colon != std::string::npos) {
      text.erase(0, colon + 3);
    }
    if (code == "PS001") {
      const std::string place =
          events_before == 0
              ? std::string{}
              : "in the events from number " + std::to_string(events_before + 1) + " on: ";
      throw Error(ErrorKind::usage, place + text, {.operation = "publish", .store_code = code});
    }
    if (code == "3F000" || code == "42883") {
      throw Error(ErrorKind::schema,
                  text +
                      "; the tables of penstock are missing or of another version: run `penstock "
                      "setup`, or name their schema and prefix",
                  {.operation = "publish", .store_code = code});
    }
  }

  PqxxPublisherOptions options_;
};

}  // namespace penstock::postgres

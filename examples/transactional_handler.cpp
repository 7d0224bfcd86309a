// A transactional handler: what it writes and the completion of its delivery commit together, so a
// crash in between leaves neither. The effect happens once, however often the attempt is repeated.
#include <cstdlib>
#include <iostream>
#include <penstock/penstock.hpp>

#include "own_database.hpp"

int main() {
  const auto stock = example::open("stock.db");
  example::run(stock.get(),
               "create table if not exists stock (item text primary key, pieces integer)");
  example::run(stock.get(), "insert or replace into stock values ('valve', 10)");

  auto store = penstock::open_store("sqlite:stock.db");
  penstock::Bus bus{*store};
  bus.subscribe("take-from-stock", "order.paid",
                [](const penstock::Delivery& delivery, penstock::Transaction& transaction) {
                  sqlite3* connection = penstock::sqlite::connection(transaction);
                  example::run(connection, "update stock set pieces = pieces - 1");
                  // The first attempt fails here, after its write: that is rolled back with it.
                  if (delivery.attempt() == 1) throw std::runtime_error("the printer is on fire");
                },
                {.retry_delay = [](int, double) { return penstock::Duration{0}; }});

  bus.publish({.type = "order.paid", .key = "order-42"});
  auto dispatcher = bus.start();
  dispatcher.run_until_idle();
  dispatcher.stop();

  const int pieces = example::number(stock.get(), "select pieces from stock");
  std::cout << pieces << " pieces left after two attempts\n";
  return pieces == 9 ? EXIT_SUCCESS : EXIT_FAILURE;
}

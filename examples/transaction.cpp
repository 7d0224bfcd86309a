// Publishing in your own transaction: the order and its event exist together, or not at all.
#include <cstdlib>
#include <iostream>
#include <penstock/penstock.hpp>

#include "own_database.hpp"

int main() {
  auto store = penstock::open_store("sqlite:shop.db");
  penstock::Bus bus{*store};
  int receipts = 0;
  bus.subscribe("send-receipt", "order.paid",
                [&receipts](const penstock::Delivery&) { ++receipts; }, {.concurrency = 1});

  const auto shop = example::open("shop.db");
  example::run(shop.get(), "create table if not exists orders (id text primary key, total real)");

  bus.setup();  // Makes the tables: a publish in the caller's transaction cannot.

  // BEGIN IMMEDIATE, so that SQLite need not refuse a read that turns into a write.
  example::run(shop.get(), "begin immediate");
  example::run(shop.get(), "insert or replace into orders values ('order-42', 12.5)");
  bus.publish(penstock::sqlite::borrow(shop.get()), {.type = "order.paid", .key = "order-42"});
  example::run(shop.get(), "commit");

  example::run(shop.get(), "begin immediate");
  example::run(shop.get(), "insert into orders values ('order-43', 99)");
  bus.publish(penstock::sqlite::borrow(shop.get()), {.type = "order.paid", .key = "order-43"});
  example::run(shop.get(), "rollback");  // Neither the order nor its event was ever there.

  auto dispatcher = bus.start();
  dispatcher.run_until_idle();
  dispatcher.stop();

  const int orders = example::number(shop.get(), "select count(*) from orders");
  std::cout << orders << " order, " << receipts << " receipt\n";
  return orders == 1 && receipts == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

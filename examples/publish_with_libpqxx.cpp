// Publishing in a transaction of libpqxx: the order and its event exist together, or not at all.
//   publish_with_libpqxx postgresql:///shop
// It works in a schema of its own, which it removes again.
#include <cstdlib>
#include <iostream>
#include <penstock/penstock.hpp>
#include <penstock/stores/postgres.hpp>
#include <penstock/stores/pqxx.hpp>
#include <string>

namespace {

constexpr char kSchema[] = "penstock_example";

bool run(const std::string& database) {
  penstock::PostgresStore store{{.connection = database, .schema = kSchema}};
  penstock::Bus bus{store};
  int receipts = 0;
  bus.subscribe("send-receipt", "order.paid",
                [&receipts](const penstock::Delivery&) { ++receipts; },
                {.concurrency = 1});  // Makes the tables, too.

  pqxx::connection shop{database};
  const penstock::postgres::PqxxPublisher publisher{{.schema = kSchema}};
  {
    pqxx::work order{shop};
    order.exec("create table penstock_example.orders (id text primary key, total numeric)");
    order.exec("insert into penstock_example.orders values ('order-42', 12.5)");
    publisher.publish(order, {.type = "order.paid", .key = "order-42"});
    order.commit();
  }
  {
    pqxx::work order{shop};
    order.exec("insert into penstock_example.orders values ('order-43', 99)");
    publisher.publish(order, {.type = "order.paid", .key = "order-43"});
  }  // Not committed: neither the order nor its event was ever there.

  auto dispatcher = bus.start();  // Perhaps in another process.
  dispatcher.run_until_idle();
  dispatcher.stop();

  pqxx::work question{shop};
  const int orders = question.exec1("select count(*) from penstock_example.orders")[0].as<int>();
  std::cout << orders << " order, " << receipts << " receipt\n";
  question.exec("drop schema penstock_example cascade");
  question.commit();
  return orders == 1 && receipts == 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: publish_with_libpqxx postgresql://HOST/DATABASE\n";
    return EXIT_FAILURE;
  }
  return run(arguments[1]) ? EXIT_SUCCESS : EXIT_FAILURE;
}

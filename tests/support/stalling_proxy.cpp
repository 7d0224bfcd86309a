// Carrying bytes, until told not to.
#include "support/stalling_proxy.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "support/postgres_server.hpp"

namespace penstock::test {
namespace {

sockaddr_un address_in(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder + "/.s.PGSQL.5433").c_str(), sizeof address.sun_path - 1);
  return address;
}

std::string make_folder() {
  std::string name = "/tmp/penstock-proxy.XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  return name;
}

/// Moves what is there; false where the one side hung up.
bool pass_on(int from, int to) {
  std::array<char, 65'536> buffer{};
  const ssize_t bytes = ::read(from, buffer.data(), buffer.size());
  if (bytes <= 0) return false;
  return ::write(to, buffer.data(), static_cast<std::size_t>(bytes)) == bytes;
}

}  // namespace

StallingProxy::StallingProxy(const std::string& server_folder)
    : server_folder_(server_folder),
      folder_(make_folder()),
      listening_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      ended_(::eventfd(0, EFD_CLOEXEC)) {
  const sockaddr_un address = address_in(folder_);
  if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listening_, 8) != 0) {
    throw std::runtime_error("the proxy cannot listen");
  }
  thread_ = std::jthread([this] { run(); });
}

StallingProxy::~StallingProxy() {
  const std::uint64_t one = 1;
  if (::write(ended_, &one, sizeof one) != sizeof one) std::abort();
  thread_.join();
  ::close(listening_);
  ::close(ended_);
  std::filesystem::remove_all(folder_);
}

std::string StallingProxy::url() const { return server_url(folder_); }

void StallingProxy::run() {
  for (;;) {
    std::array<pollfd, 2> sources{pollfd{ended_, POLLIN, 0}, pollfd{listening_, POLLIN, 0}};
    ::poll(sources.data(), sources.size(), -1);
    if (sources[0].revents != 0) return;
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    carry(client);
    ::close(client);
  }
}

void StallingProxy::carry(int client) {
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_in(server_folder_);
  bool open = ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  while (open) {
    std::array<pollfd, 3> sources{pollfd{ended_, POLLIN, 0}, pollfd{client, POLLIN, 0},
                                  pollfd{server, POLLIN, 0}};
    // Silence: what arrives stays unread, and nobody is told.
    const nfds_t watched = stalled_ ? 1 : sources.size();
    ::poll(sources.data(), watched, stalled_ ? -1 : 5);
    if (sources[0].revents != 0) break;
    if (stalled_) continue;
    if (sources[1].revents != 0) open = pass_on(client, server);
    if (sources[2].revents != 0 && loses_answer_.exchange(false)) break;
    if (open && sources[2].revents != 0) open = pass_on(server, client);
  }
  ::close(server);
}

}  // namespace penstock::test

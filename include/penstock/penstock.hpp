// All of penstock's public interface.
#pragma once

#include "penstock/admin.hpp"
#include "penstock/bus.hpp"
#include "penstock/clock.hpp"
#include "penstock/dispatcher.hpp"
#include "penstock/error.hpp"
#include "penstock/event.hpp"
#include "penstock/handler.hpp"
#include "penstock/ids.hpp"
#include "penstock/limits.hpp"
#include "penstock/log.hpp"
#include "penstock/store.hpp"
#include "penstock/stores/memory.hpp"
#include "penstock/stores/postgres.hpp"
#include "penstock/stores/sqlite.hpp"
#include "penstock/transaction.hpp"
#include "penstock/version.hpp"

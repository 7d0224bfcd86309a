/* The lease of one lane, and one delivery in it, as PostgreSQL runs them under READ COMMITTED:
 * claim, extend, the ends of an attempt, a transactional completion, takeover, and crashes anywhere.
 *
 * One step of a process is one thing that others can see or wait for: a statement's snapshot, a row
 * lock, a commit. A lock that is waited for is followed by a second look at the row that was locked,
 * and only at that one, because that is what the database does.
 *
 * MAPPING.md says which statement each step stands for, and what is left out.
 * `scripts/models.sh` checks this file as it is, and each variant below without one of its guards.
 */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2 /* how often the delivery is claimed before the model ends */
#endif
#ifndef WRITES
#define WRITES 2 /* how often one token is presented: late, twice, after its lease, … */
#endif
#ifndef CRASHES
#define CRASHES 1 /* of a process in the middle of a claim; an attempt can die at every step */
#endif

/* Guards, and the variants that lack them. */
#ifdef NO_EPOCH_CHECK
#define EPOCH_FITS true
#else
#define EPOCH_FITS (epoch == my_epoch)
#endif

#ifdef NO_CLAIMS_CHECK
#define CLAIMS_FIT true
#else
#define CLAIMS_FIT (claims == my_claims)
#endif

#ifdef TAKEOVER_KEEPS_CLAIMS
#define CLAIMS_AFTER_TAKEOVER claims
#else
#define CLAIMS_AFTER_TAKEOVER (claims + 1)
#endif

#ifdef TAKEOVER_MAY_WAIT
#define MAY_WAIT true
#else
#define MAY_WAIT false
#endif

#define NOBODY 255

/* The lane's row and the delivery's row, as committed. */
mtype = { pending, dead, gone };
byte epoch;
byte owner = NOBODY;
bool expired;
bool in_flight;
mtype status = pending;
byte claims;

/* Row locks. Those of the lane: a plain update and FOR NO KEY UPDATE conflict with each other and with
 * FOR UPDATE; FOR KEY SHARE conflicts with FOR UPDATE only. */
mtype = { unlocked, no_key_update, for_update };
mtype lane_lock = unlocked;
byte key_sharers;
bool row_locked;
bool row_locked_by_handler; /* by a handler's transaction, which may stay open for long */

/* What only the properties see. */
byte claimed;         /* attempts so far; each is known by its number */
byte running;         /* the attempt whose end counts; 0: none */
byte tenure;          /* one more each time the lane changes hands, whatever the epoch does */
byte handler_commits; /* of transactional handlers */
byte crashes = CRASHES;

/* The workers, a bit each, whose look at the lane's row is of its newest version. */
byte lane_as_seen;
#ifdef NO_VERSION_CHECK
#define LANE_IS_AS_SEEN true
#else
#define LANE_IS_AS_SEEN (lane_as_seen & (1 << slot))
#endif

/* An attempt ends with effect: at most once, and never by the token of another. */
inline end_of(attempt) {
  assert(running == attempt);
  running = 0
}

/* The delivery is handed out, under the lane's lock. */
inline hand_out() {
  assert(status == pending);
  assert(running == 0);
  in_flight = true;
  expired = false;
  lane_as_seen = 0;
  claimed++;
  running = claimed;
  run Attempt(claimed, epoch, claims_seen, tenure)
}

inline change_hands(next) {
  owner = next;
  expired = false;
  epoch++;
  tenure++;
  lane_as_seen = 0
}

inline unlock_lane() {
  lane_lock = unlocked
}

/* The process dies and its transaction rolls back. What starts in its place is another worker. */
inline crash() {
  crashes--;
  unlock_lane();
  name = name + WORKERS
}

/* Whose lease allows `name` to claim in the lane: its own, nobody's, or one that ran out over nothing
 * that could be taken over. */
#define MAY_CLAIM (owner == NOBODY || (owner == name && !expired) || (expired && status != pending) || \
                   (expired && !in_flight))

/* Looks for due deliveries without a lock, and locks the lane only then. Where another wrote the
 * lane's row in between, nothing is claimed from it. */
inline claim() {
  d_step {
    pending_seen = (status == pending && !in_flight && claimed < ATTEMPTS);
    claims_seen = claims;
    lane_as_seen = lane_as_seen | (1 << slot)
  };
  if
  :: atomic {
       pending_seen && lane_lock == unlocked && MAY_CLAIM && LANE_IS_AS_SEEN ->
       lane_lock = no_key_update
     };
    if
    :: atomic { crashes > 0 -> crash() }
    :: atomic {
         if
         :: owner != name || expired -> change_hands(name)
         :: else
         fi;
         hand_out();
         unlock_lane()
       }
    fi
  :: !(pending_seen && lane_lock == unlocked && MAY_CLAIM && LANE_IS_AS_SEEN) /* skip locked */
  fi
}

/* Hands back a lane in which nothing runs, although it may still list what was completed. */
inline relinquish() {
  atomic {
    lane_lock == unlocked ->
    if
    :: owner == name && (!in_flight || status != pending) ->
      owner = NOBODY;
      expired = false;
      in_flight = false;
      lane_as_seen = 0
    :: else
    fi
  }
}

/* Under FOR UPDATE on the lane: charges what was in flight, then lets the lane go. */
inline take_over() {
  if
  :: atomic { in_flight && !row_locked && status == pending -> row_locked = true; charged = true }
  :: atomic { in_flight && !row_locked && status != pending -> skip }
  :: atomic { in_flight && row_locked -> assert(!row_locked_by_handler || MAY_WAIT) };
    atomic {
      !row_locked ->
      if
      :: status == pending -> row_locked = true; charged = true
      :: else
      fi
    }
  :: atomic { !in_flight -> skip }
  fi;
  if
  :: atomic {
       crashes > 0 ->
       if
       :: charged -> row_locked = false
       :: else
       fi;
       crash()
     }
  :: atomic {
       if
       :: charged ->
         end_of(running);
         claims = CLAIMS_AFTER_TAKEOVER;
         row_locked = false
       :: else
       fi;
       in_flight = false;
       change_hands(NOBODY);
       unlock_lane()
     }
  fi
}

/* Locals that no longer matter must not tell states apart. */
inline forget() {
  d_step {
    pending_seen = false;
    charged = false;
    claims_seen = 0;
    lane_as_seen = lane_as_seen & (255 - (1 << slot))
  }
}

/* Claims for one process. */
proctype Worker(byte name; byte slot) {
  bool pending_seen, charged;
  byte claims_seen;

end:
  do
  :: status == pending && !in_flight && claimed < ATTEMPTS && MAY_CLAIM -> claim(); forget()
  :: owner == name && (!in_flight || status != pending) -> relinquish()
#ifndef NO_TAKEOVER
  :: atomic {
       in_flight && status == pending && owner != NOBODY && expired && lane_lock == unlocked &&
       key_sharers == 0 ->
       lane_lock = for_update
     };
    take_over();
    forget()
#endif
  od
}

/* One statement; decided on the delivery's row. The lane is read as of the statement's snapshot. */
inline complete() {
  if
  :: atomic { !(EPOCH_FITS && in_flight && status == pending && CLAIMS_FIT) -> skip }
  :: atomic { EPOCH_FITS && in_flight && status == pending && CLAIMS_FIT -> skip };
    atomic {
      !row_locked ->
      if
      :: status == pending && CLAIMS_FIT -> end_of(serial); status = gone
      :: else
      fi
    }
  fi
}

/* In the handler's own transaction, together with what the handler wrote. */
inline complete_in_transaction() {
#ifdef NO_KEY_SHARE
#define SHARE_LANE skip
#define UNSHARE_LANE skip
#else
#define SHARE_LANE key_sharers++
#define UNSHARE_LANE key_sharers--
#endif
  if
#ifdef NO_KEY_SHARE
  :: atomic { EPOCH_FITS && in_flight -> skip };
#else
  :: atomic { lane_lock != for_update && EPOCH_FITS && in_flight -> SHARE_LANE };
#endif
    if
    :: atomic { !row_locked && status == pending && CLAIMS_FIT ->
         row_locked = true; row_locked_by_handler = true };
      if
      :: atomic {
           end_of(serial);
           status = gone;
           handler_commits++;
           assert(handler_commits == 1);
           row_locked = false;
           row_locked_by_handler = false;
           UNSHARE_LANE
         }
      :: atomic { row_locked = false; row_locked_by_handler = false; UNSHARE_LANE } /* rolls back */
      fi
    :: atomic { !row_locked && !(status == pending && CLAIMS_FIT) -> UNSHARE_LANE } /* lost */
    :: atomic { UNSHARE_LANE }                                                     /* rolls back */
    fi
  :: atomic { lane_lock != for_update && !(EPOCH_FITS && in_flight) -> skip } /* lost */
  fi
}

/* reschedule, release, bury: the lane is locked, then the delivery's row. */
inline end_under_the_lanes_lock() {
  atomic { lane_lock == unlocked -> lane_lock = no_key_update };
  if
  :: atomic { EPOCH_FITS && in_flight -> skip };
    if
    :: atomic { !row_locked && status == pending && CLAIMS_FIT -> row_locked = true };
      if
      :: atomic {
           end_of(serial);
           claims++;
           in_flight = false;
           lane_as_seen = 0;
           if
           :: status = pending
           :: status = dead
           fi;
           row_locked = false;
           unlock_lane()
         }
      :: atomic { row_locked = false; unlock_lane() } /* crash */
      fi
    :: atomic { !row_locked && !(status == pending && CLAIMS_FIT) -> unlock_lane() }
    fi
  :: atomic { !(EPOCH_FITS && in_flight) -> unlock_lane() }
  fi
}

#ifdef EXTEND_LOCKS_FIRST
/* The lane is locked, then the deliveries are read. */
inline extend() {
  atomic {
    lane_lock == unlocked ->
    if
    :: EPOCH_FITS && in_flight && status == pending && CLAIMS_FIT ->
      assert(tenure == my_tenure);
      expired = false;
      lane_as_seen = 0
    :: else
    fi
  }
}
#else
/* One statement; decided on the lane's row. The delivery is read as of the statement's snapshot. */
inline extend() {
  if
  :: atomic { !(EPOCH_FITS && in_flight && status == pending && CLAIMS_FIT) -> skip }
  :: atomic { EPOCH_FITS && in_flight && status == pending && CLAIMS_FIT -> skip };
    atomic {
      lane_lock == unlocked ->
      if
      :: EPOCH_FITS && in_flight ->
        assert(tenure == my_tenure);
        expired = false;
        lane_as_seen = 0
      :: else
      fi
    }
  fi
}
#endif

/* One attempt, and whatever its process still does with the token: nothing (it was killed), a late
 * write, the same write again, a write after it gave the work back. */
proctype Attempt(byte serial; byte my_epoch; byte my_claims; byte my_tenure) {
  byte left = WRITES;

  do
  :: left > 0 ->
    left--;
    if
    :: complete()
    :: complete_in_transaction()
    :: end_under_the_lanes_lock()
    :: extend()
    fi
  :: break
  od
}

/* A lease can run out at any time, and one that is not extended does. */
active proctype Clock() {
end:
  do
  :: atomic { owner != NOBODY && !expired -> expired = true }
  od
}

/* When nothing can move any more, the delivery has ended, or the model has no attempts left. */
active proctype Auditor() {
end:
  timeout ->
    assert(status != pending || claimed == ATTEMPTS);
    assert(status == pending || running == 0);
    assert(lane_lock == unlocked && key_sharers == 0 && !row_locked)
}

init {
  byte name = 0;
  atomic {
    do
    :: name < WORKERS -> run Worker(name, name); name++
    :: else -> break
    od
  }
}

package dev.tollgate.core.tenant;

import dev.tollgate.core.tenant.KeyDirectory.Lookup;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The key look-ups under way: one per key, so many at a time. A change to any key grounds those
 * that began before it: they still answer who waits for them, but nobody else joins them and
 * nothing they bring is kept, or a key would come back as it was before its revocation
 * (REQUIREMENTS H9).
 */
final class KeyFlights {
  private final KeyCache.Loader loader;
  private final int flightsMax;
  private final Landing landing;

  /** Guards the fields below, for a few steps at a time and never across a call outwards. */
  private final Object lock = new Object();

  private final Map<KeyHash, Flight> joinable = new HashMap<>();
  private int flying;

  KeyFlights(KeyCache.Loader loader, int flightsMax, Landing landing) {
    this.loader = loader;
    this.flightsMax = flightsMax;
    this.landing = landing;
  }

  /** Takes what a look-up brought that no change overtook; called under the lock of the flights. */
  interface Landing {
    void keep(KeyHash hash, Lookup lookup, long startedNanos);
  }

  /** One look-up and who waits for it. */
  static final class Flight {
    private final KeyHash hash;
    private final long startedNanos;
    private final List<Consumer<Lookup>> waiters = new ArrayList<>(1);
    private boolean landed;

    private Flight(KeyHash hash, long startedNanos) {
      this.hash = hash;
      this.startedNanos = startedNanos;
    }

    /** Whether somebody got on. */
    sealed interface Boarding {}

    record Boarded() implements Boarding {}

    record Full() implements Boarding {}
  }

  private static final Flight.Boarding BOARDED = new Flight.Boarded();
  private static final Flight.Boarding FULL = new Flight.Full();

  /** Joins the look-up of {@code hash} or starts one; a waiter on board is called exactly once. */
  Flight.Boarding board(KeyHash hash, long nowNanos, Consumer<Lookup> waiter) {
    Flight started;
    synchronized (lock) {
      Flight flight = joinable.get(hash);
      if (flight != null) {
        flight.waiters.add(waiter);
        return BOARDED;
      }
      if (flying >= flightsMax) {
        return FULL;
      }
      flying++;
      started = new Flight(hash, nowNanos);
      started.waiters.add(waiter);
      joinable.put(hash, started);
    }
    start(started);
    return BOARDED;
  }

  /** Whatever is under way now must not be kept or joined any more. */
  void ground() {
    synchronized (lock) {
      joinable.clear();
    }
  }

  private void start(Flight flight) {
    try {
      loader.load(flight.hash, lookup -> land(flight, lookup));
    } catch (RuntimeException refused) {
      land(flight, new Lookup.Unavailable("key look-up refused: " + refused.getMessage()));
    }
  }

  private void land(Flight flight, Lookup lookup) {
    synchronized (lock) {
      if (flight.landed) {
        return;
      }
      flight.landed = true;
      flying--;
      if (joinable.remove(flight.hash, flight)) {
        landing.keep(flight.hash, lookup, flight.startedNanos);
      }
    }
    // Nobody joins a flight that has landed: the list is ours alone.
    for (Consumer<Lookup> waiter : flight.waiters) {
      tell(waiter, lookup);
    }
  }

  private static void tell(Consumer<Lookup> waiter, Lookup lookup) {
    try {
      waiter.accept(lookup);
    } catch (RejectedExecutionException itsLoopHasEnded) {
      // Its connections ended with it; the other waiters still want their answer.
    }
  }

  /** How many look-ups are under way, for a gauge. */
  int flying() {
    synchronized (lock) {
      return flying;
    }
  }
}

package dev.tollgate.core.ledger;

import dev.tollgate.core.testkit.InMemoryLedgerStore.Flaw;
import org.jspecify.annotations.Nullable;

/** Ledger with one fault, which the simulation must detect. */
enum Mutant {
  ACKNOWLEDGES_BEFORE_THE_SYNC("acknowledged"),
  RESENDS_NOTHING_AFTER_A_CRASH("acknowledged"),
  SUMS_REPEATED_ROWS("used is", Flaw.SUMS_REPEATED_ROWS),
  CLOSES_LEASES_BEFORE_RESENDING("overspent"),
  SETTLES_TO_THE_PRESENT_WINDOW("used of keyd", Flaw.WINDOW_OF_THE_SETTLEMENT),
  STOPS_AT_A_POISON_ROW("cannot be settled"),
  STATES_NOTHING_AFTER_A_LOST_ANSWER("leased at rest"),
  IGNORES_ITS_CLOCKS("admitted without heartbeat"),
  DATES_REQUESTS_BY_ITS_WALL_CLOCK("dated"),
  SPENDS_DURING_AN_OUTAGE("admitted without heartbeat"),
  FREES_WHAT_A_LOST_NODE_COMMITTED("overspent", Flaw.FREES_WHAT_A_LOST_NODE_COMMITTED),
  KEEPS_WHAT_A_LOST_NODE_HELD("leased at rest", Flaw.KEEPS_WHAT_A_LOST_NODE_HELD),
  BEGINS_ANEW_AT_A_ROTATION("used of keyd", Flaw.BEGINS_ANEW_AT_A_ROTATION),
  ADMITS_ON_A_FULL_DISK("admitted with room"),
  ACKNOWLEDGES_WHAT_FOUND_NO_ROOM("acknowledged");

  private final String complaint;
  private final @Nullable Flaw flaw;

  Mutant(String complaint) {
    this(complaint, null);
  }

  Mutant(String complaint, @Nullable Flaw flaw) {
    this.complaint = complaint;
    this.flaw = flaw;
  }

  /** Returns a part of the simulation's failure message. */
  String complaint() {
    return complaint;
  }

  /** Returns the fault of the ledger store; null if the node has the fault. */
  @Nullable Flaw flaw() {
    return flaw;
  }
}

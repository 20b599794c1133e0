package dev.tollgate.server.ops;

import dev.tollgate.core.api.Endpoint.Urgency;

/**
 * Immutable result of the last load sample, by which new requests are admitted or shed.
 *
 * @param level level that memory and queues demand
 * @param requestsMax limit on running requests
 * @param requestsMin running requests below which none is refused: a node with little work serves,
 *     whatever its signals are
 */
record LoadState(LoadLevel level, int requestsMax, int requestsMin) {
  private static final double FAIR_SHARE = 0.25;

  /**
   * True if a request of this urgency, of any organization, is shed while {@code running} others
   * run.
   */
  boolean sheds(Urgency urgency, int running) {
    return reaches(LoadLevel.shedding(urgency), running);
  }

  /**
   * True if a request is shed because its organization has {@code orgRunning} of the {@code
   * running} requests: while capacity is scarce, each organization gets at most a quarter of it.
   */
  boolean shedsAboveShare(int running, int orgRunning) {
    return orgRunning >= fairShare() && reaches(LoadLevel.ABOVE_SHARE, running);
  }

  private boolean reaches(LoadLevel wanted, int running) {
    return running >= requestsMin
        && (level.isAtLeast(wanted) || running >= wanted.room() * requestsMax);
  }

  private int fairShare() {
    return Math.max(requestsMin, (int) (FAIR_SHARE * requestsMax));
  }
}

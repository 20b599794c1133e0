package dev.tollgate.server.ops;

import dev.tollgate.core.api.Endpoint.Urgency;

/**
 * Load of the node at the last sample, by which new requests are admitted or shed. Immutable.
 *
 * @param level level that memory and queues demand
 * @param requestsMax limit on running requests
 * @param requestsMin running requests below which none is refused: a node with little work serves,
 *     whatever its signals are
 */
record LoadState(LoadLevel level, int requestsMax, int requestsMin) {
  private static final double FAIR_SHARE = 0.25;

  /**
   * Decides on a request of this urgency, of any organization, while {@code running} others run.
   */
  boolean sheds(Urgency urgency, int running) {
    return reaches(LoadLevel.shedding(urgency), running);
  }

  /**
   * Decides on a request of an organization that has {@code its} of the {@code running} ones: while
   * room is scarce, each organization gets at most a quarter of it.
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

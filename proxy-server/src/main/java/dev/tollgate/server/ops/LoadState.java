package dev.tollgate.server.ops;

import dev.tollgate.core.api.Endpoint.Urgency;

/**
 * How loaded a node is, as of the last look: all that the next requests are judged by. Immutable.
 *
 * @param level what the lack of memory and the fill of queues ask for
 * @param requestsMax requests that may be in work at once
 * @param requestsMin requests in work below which nobody is turned away: a node that has little to
 *     do serves, whatever its figures say
 */
record LoadState(LoadLevel level, int requestsMax, int requestsMin) {
  private static final double FAIR_SHARE = 0.25;

  /** A new request of this urgency, whoever sends it, while {@code running} others are in work. */
  boolean sheds(Urgency urgency, int running) {
    return reaches(LoadLevel.shedding(urgency), running);
  }

  /**
   * A new request of an organization that has {@code its} of the {@code running} ones: while room
   * is scarce, nobody gets more than a quarter of it.
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

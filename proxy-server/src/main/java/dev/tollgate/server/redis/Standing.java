package dev.tollgate.server.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Whether Redis can be asked. */
sealed interface Standing {
  /**
   * It answers. Members are counted under the epoch; with another epoch all that was uncertain
   * about the one before is gone.
   *
   * @param failures in a row
   * @param uncertain whether an end may have been lost
   */
  record Up(Link link, String epoch, AtomicInteger failures, AtomicBoolean uncertain)
      implements Standing {
    Up(Link link, String epoch) {
      this(link, epoch, new AtomicInteger(), new AtomicBoolean());
    }
  }

  /** It is not asked. */
  record Down(String reason) implements Standing {}
}

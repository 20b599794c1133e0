package dev.tollgate.server.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Whether Redis can be asked. */
sealed interface Standing {
  /**
   * It answers. Members are counted under the epoch; with another epoch all that was uncertain
   * about the one before is gone.
   *
   * @param before the epoch in which those are counted that run since then and were not restated
   *     yet
   * @param failures in a row
   * @param uncertain whether an end may have been lost
   * @param settling whether other nodes may not have said yet which slots they have
   */
  record Up(
      Link link,
      String epoch,
      String before,
      AtomicInteger failures,
      AtomicBoolean uncertain,
      AtomicBoolean settling)
      implements Standing {
    Up(Link link, String epoch, String before, AtomicBoolean settling) {
      this(link, epoch, before, new AtomicInteger(), new AtomicBoolean(), settling);
    }
  }

  /** It is not asked. */
  record Down(String reason) implements Standing {}
}

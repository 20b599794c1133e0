package dev.tollgate.core.exchange;

import dev.tollgate.core.fetch.UrlGuard;
import dev.tollgate.core.job.Jobs;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * Where media jobs are submitted and asked for.
 *
 * @param urls judges what clients want to be called or fetched later
 * @param reservationFactor what is held, as a multiple of the estimate
 * @param imagesKept how long images that come along are kept, if the job's end does not come first
 */
public record JobDesk(
    Jobs jobs, UrlGuard urls, BigDecimal reservationFactor, Duration imagesKept, Submissions open) {
  /** Whether somebody makes what is asked for. */
  public enum Submissions {
    TAKEN,
    /** Nobody does. */
    NOT_IMPLEMENTED
  }

  /** That of a process that has no jobs. */
  public static final Optional<JobDesk> NONE = Optional.empty();
}

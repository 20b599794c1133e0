package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.egress.UrlGuard;
import dev.tollgate.core.job.JobRepository;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;

/**
 * Where media jobs are submitted and asked for.
 *
 * @param urls judges what clients want to be called or fetched later
 * @param reservationFactor what is held, as a multiple of the estimate
 * @param imageRetention how long images that come along are kept, if the job's end does not come
 *     first
 */
public record JobService(
    JobRepository jobs,
    UrlGuard urls,
    BigDecimal reservationFactor,
    Duration imageRetention,
    Submissions submissions) {
  /** Whether somebody makes what is asked for. */
  public enum Submissions {
    ACCEPTED,
    /** Nobody does. */
    NOT_IMPLEMENTED
  }

  /** That of a process that has no jobs. */
  public static final Optional<JobService> NONE = Optional.empty();
}

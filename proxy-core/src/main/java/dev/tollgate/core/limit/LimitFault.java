package dev.tollgate.core.limit;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.limit.Acquire.Slot;
import dev.tollgate.core.limit.AcquireResult.Level;
import dev.tollgate.core.limit.Bucket.LimitScope;
import dev.tollgate.core.limit.Bucket.Unit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Factory of the faults of rate-limited requests (docs/decisions/limits.md#refusals). The first
 * bucket that refuses determines the code and the details; the longest wait of all that refuse
 * determines the Retry-After.
 */
public final class LimitFault {
  private static final long MICROS = 1_000_000;
  private static final int RETRY_AFTER_MAX = 60;
  private static final String REFUSALS = "refusals";
  private static final Fault LOOK_UPS =
      Fault.of(ErrorCode.RATE_LIMITED, "Too many requests with API keys that are not valid.")
          .withRetryAfter(1)
          .withDetails(Map.of("scope", REFUSALS, "unit", Unit.REQUESTS_PER_SECOND.wire()));

  private LimitFault() {}

  /** Returns the 503 of counters that cannot answer; requests are never admitted uncounted. */
  public static Fault unavailable() {
    return Fault.tryLater("The limits cannot be counted at present.");
  }

  /** Returns the 429 of a refused acquisition. */
  public static Fault of(Acquire acquire, AcquireResult.Refused refused) {
    int first = -1;
    long longest = 0;
    for (int n = refused.levels().size() - 1; n >= 0; n--) {
      Level level = refused.levels().get(n);
      if (acquire.isRefusedAt(acquire.buckets().get(n), level)) {
        first = n;
        longest = Math.max(longest, level.waitMicros());
      }
    }
    return first < 0
        ? concurrency(acquire.slot())
        : exhausted(acquire, acquire.buckets().get(first), refused.levels().get(first), longest);
  }

  /**
   * Returns for how long the first bucket that refused will refuse every request of the key; 0 if
   * that depends on the request (limits of models and tokens) or may end at any moment (slots).
   */
  public static long guaranteedWaitMicros(Acquire acquire, AcquireResult.Refused refused) {
    for (int n = 0; n < refused.levels().size(); n++) {
      Level level = refused.levels().get(n);
      Bucket bucket = acquire.buckets().get(n);
      if (acquire.isRefusedAt(bucket, level)) {
        boolean appliesToEveryRequest =
            bucket.unit() != Unit.TOKENS_PER_MINUTE && bucket.scope() != LimitScope.MODEL;
        return appliesToEveryRequest ? level.waitMicros() : 0;
      }
    }
    return 0;
  }

  private static Fault exhausted(Acquire acquire, Bucket bucket, Level level, long waitMicros) {
    Map<String, Object> details = LimitDetails.of(bucket, level);
    if (bucket.unit() == Unit.TOKENS_PER_MINUTE) {
      details.put("requested", acquire.tokens());
    }
    String message =
        "The "
            + bucket.scope().wire()
            + "'s limit of "
            + bucket.capacity()
            + " "
            + bucket.unit().text()
            + " is used up.";
    int seconds = Math.clamp(Math.ceilDiv(waitMicros, MICROS), 1, RETRY_AFTER_MAX);
    return Fault.of(code(bucket.unit()), message).withRetryAfter(seconds).withDetails(details);
  }

  private static Fault concurrency(Slot slot) {
    int max =
        switch (slot) {
          case Slot.Limited one -> one.max();
          case Slot.Unlimited _ -> throw new IllegalStateException("nothing refused");
        };
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("scope", LimitScope.KEY.wire());
    details.put("limit", max);
    details.put("unit", "concurrency");
    details.put("remaining", 0);
    details.put("reset", "1s");
    return Fault.of(
            ErrorCode.CONCURRENCY_EXCEEDED,
            "The key has " + max + " requests under way, as many as it may.")
        .withRetryAfter(1)
        .withDetails(details);
  }

  /**
   * Returns the 429 of a request for more tokens than the bucket can hold, for which no wait helps.
   */
  public static Fault neverFits(Bucket bucket, long tokens) {
    Map<String, Object> details = LimitDetails.of(bucket);
    details.put("requested", tokens);
    return Fault.of(
            ErrorCode.TOKENS_PER_MINUTE_EXCEEDED,
            "The request may use "
                + tokens
                + " tokens, more than the key's limit of "
                + bucket.capacity()
                + " tokens per minute.")
        .withDetails(details)
        .withRetryAfter(RETRY_AFTER_MAX) // every 429 has one
        .withoutRetry();
  }

  /** Returns the 429 of a key of which too many requests were refused. */
  static Fault refusals(long perSecond) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("scope", REFUSALS);
    details.put("limit", perSecond);
    details.put("unit", Unit.REQUESTS_PER_SECOND.wire());
    details.put("remaining", 0);
    details.put("reset", "1s");
    return Fault.of(
            ErrorCode.RATE_LIMITED,
            "More than " + perSecond + " requests per second of the key were refused.")
        .withRetryAfter(1)
        .withDetails(details);
  }

  /**
   * Returns the 429 of a caller with too many keys that do not exist; says nothing about the key.
   */
  public static Fault lookUps() {
    return LOOK_UPS;
  }

  private static ErrorCode code(Unit unit) {
    return switch (unit) {
      case REQUESTS_PER_SECOND, REQUESTS_PER_MINUTE -> ErrorCode.RATE_LIMITED;
      case TOKENS_PER_MINUTE -> ErrorCode.TOKENS_PER_MINUTE_EXCEEDED;
    };
  }
}

package dev.tollgate.server.account.signin;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Counters of sign-ins by result, for metrics. */
public final class SignInCounts {
  private final LongAdder succeeded = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder throttled = new LongAdder();

  /** How a sign-in ended. */
  enum Result {
    SUCCEEDED,
    /** Unknown address or wrong password. */
    FAILED,
    /** Right password of an account that is pending or disabled. */
    REFUSED,
    /** Too many failures before, or too many passwords being checked. */
    THROTTLED
  }

  void add(Result result) {
    count(result).increment();
  }

  /** Returns the totals by the label of the metric. */
  public Map<List<String>, Long> totals() {
    return Arrays.stream(Result.values())
        .collect(
            Collectors.toMap(
                each -> List.of(each.name().toLowerCase(Locale.ROOT)), each -> count(each).sum()));
  }

  private LongAdder count(Result result) {
    return switch (result) {
      case SUCCEEDED -> succeeded;
      case FAILED -> failed;
      case REFUSED -> refused;
      case THROTTLED -> throttled;
    };
  }
}

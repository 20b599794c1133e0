package dev.tollgate.server.account.signin;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Counters of sign-ins by result, for metrics. */
public final class SignInCounts {
  private final Map<Result, LongAdder> counts = new EnumMap<>(Result.class);

  public SignInCounts() {
    for (Result each : Result.values()) {
      counts.put(each, new LongAdder());
    }
  }

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
    counts.get(result).increment();
  }

  /** Returns the totals by the label of the metric. */
  public Map<List<String>, Long> totals() {
    return counts.entrySet().stream()
        .collect(
            Collectors.toMap(
                each -> List.of(each.getKey().name().toLowerCase(Locale.ROOT)),
                each -> each.getValue().sum()));
  }
}

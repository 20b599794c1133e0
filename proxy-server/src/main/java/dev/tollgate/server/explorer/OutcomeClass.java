package dev.tollgate.server.explorer;

import dev.tollgate.core.exchange.frame.RequestOutcome;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Class of outcomes, by which the explorer's histogram counts requests. */
public enum OutcomeClass {
  OK,
  /** The client ended the request. */
  CLIENT_ERROR,
  /** A provider, or the gateway itself, failed the request. */
  PROVIDER_ERROR,
  /** The gateway refused the request before any attempt at a provider. */
  REFUSED;

  /** Outcome of a charge without a line: its node died before the request ended. */
  public static final String CRASH = "crash";

  /** Outcome of a line that names none. */
  public static final String UNKNOWN = "unknown";

  private static final Map<OutcomeClass, List<String>> OUTCOMES = byClass();

  static OutcomeClass of(RequestOutcome outcome) {
    return switch (outcome) {
      case OK, OK_ESTIMATED, REPLAYED -> OutcomeClass.OK;
      case CLIENT_ABORT, CLIENT_STALLED, CLIENT_SLOW -> CLIENT_ERROR;
      case PROVIDER_UNAVAILABLE,
          PROVIDER_TIMEOUT,
          PROVIDER_DISCONNECT,
          PROVIDER_ERROR,
          PROVIDER_REJECTED,
          PROVIDER_AUTH,
          PROVIDER_RATE_LIMITED,
          STREAM_INTERRUPTED,
          DEPENDENCY_DOWN,
          INTERNAL_ERROR ->
          OutcomeClass.PROVIDER_ERROR;
      case REJECTED, SHED, DRAINED -> REFUSED;
    };
  }

  /** Returns the class of an outcome of the view. */
  public static OutcomeClass of(String outcome) {
    for (OutcomeClass each : values()) {
      if (each.outcomes().contains(outcome)) {
        return each;
      }
    }
    return PROVIDER_ERROR;
  }

  /** Returns the outcomes of this class, as the request log names them. */
  List<String> outcomes() {
    return OUTCOMES.getOrDefault(this, List.of());
  }

  private static Map<OutcomeClass, List<String>> byClass() {
    Map<OutcomeClass, List<String>> all = new EnumMap<>(OutcomeClass.class);
    for (OutcomeClass each : values()) {
      all.put(
          each,
          Arrays.stream(RequestOutcome.values())
              .filter(outcome -> of(outcome) == each)
              .map(RequestOutcome::wire)
              .toList());
    }
    return all;
  }
}

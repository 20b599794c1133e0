package dev.tollgate.core.ledger;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * Budget window: the calendar day in UTC, and with it the month, to which a request is charged. It
 * is half open, computed from the time in the request id and never scheduled
 * (docs/decisions/money.md#windows).
 */
public record Window(LocalDate day) {
  private static final long MILLIS_PER_DAY = 86_400_000;

  public static Window at(long epochMillis) {
    return new Window(LocalDate.ofEpochDay(Math.floorDiv(epochMillis, MILLIS_PER_DAY)));
  }

  /** True if a time lies in this day. */
  public boolean contains(long epochMillis) {
    return Math.floorDiv(epochMillis, MILLIS_PER_DAY) == day.toEpochDay();
  }

  /**
   * True if the window of a kind that contains this day ended before the one that contains another
   * day.
   */
  boolean endsBefore(Window other, ScopeKind kind) {
    return suffix(kind).compareTo(other.suffix(kind)) < 0;
  }

  /** Returns the first day of the next window of a kind that has windows. */
  Window next(ScopeKind kind) {
    return new Window(LocalDate.ofInstant(resetsAt(kind), ZoneOffset.UTC));
  }

  /**
   * Returns the suffix of a scope's id: {@code :2026-11-20}, {@code :2026-11}, or empty for a
   * balance.
   */
  String suffix(ScopeKind kind) {
    return switch (kind) {
      case ORG -> "";
      case ORG_MONTH, KEY_MONTH -> ":" + day.toString().substring(0, 7);
      case KEY_DAY -> ":" + day;
    };
  }

  /**
   * Returns the first instant after this window of a kind; {@link Instant#MAX} for a balance, which
   * has none.
   */
  public Instant resetsAt(ScopeKind kind) {
    LocalDate next =
        switch (kind) {
          case ORG -> LocalDate.MAX;
          case ORG_MONTH, KEY_MONTH -> day.withDayOfMonth(1).plusMonths(1);
          case KEY_DAY -> day.plusDays(1);
        };
    return next.equals(LocalDate.MAX) ? Instant.MAX : next.atStartOfDay(ZoneOffset.UTC).toInstant();
  }
}

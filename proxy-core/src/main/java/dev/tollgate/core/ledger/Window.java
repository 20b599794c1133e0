package dev.tollgate.core.ledger;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * The calendar day in UTC, and with it the month, to which a request belongs for ever: half open,
 * computed from the time in its id and never scheduled (docs/decisions/money.md#windows).
 */
public record Window(LocalDate day) {
  private static final long MILLIS_PER_DAY = 86_400_000;

  public static Window at(long epochMillis) {
    return new Window(LocalDate.ofEpochDay(Math.floorDiv(epochMillis, MILLIS_PER_DAY)));
  }

  /** Whether a time lies in this day. */
  public boolean contains(long epochMillis) {
    return Math.floorDiv(epochMillis, MILLIS_PER_DAY) == day.toEpochDay();
  }

  /** Whether the window of a kind that this day is in had ended when another day began. */
  boolean endsBefore(Window other, ScopeKind kind) {
    return suffix(kind).compareTo(other.suffix(kind)) < 0;
  }

  /** The first day of the next window of a kind that has windows. */
  Window next(ScopeKind kind) {
    return new Window(LocalDate.ofInstant(resetsAt(kind), ZoneOffset.UTC));
  }

  /** As it stands in a scope's id: {@code 2026-11-20} or {@code 2026-11}. */
  String suffix(ScopeKind kind) {
    return switch (kind) {
      case ORG -> "";
      case ORG_MONTH, KEY_MONTH -> ":" + day.toString().substring(0, 7);
      case KEY_DAY -> ":" + day;
    };
  }

  /**
   * The first instant after a window of this kind; for a balance, which has none, the epoch's end.
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

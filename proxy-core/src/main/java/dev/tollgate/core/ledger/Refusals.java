package dev.tollgate.core.ledger;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.ledger.Ledger.ReserveResult;
import dev.tollgate.core.ledger.LedgerStore.Shortage;
import dev.tollgate.core.money.MicroUsd;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Factory of the 402 and 503 faults of requests for which nothing can be reserved
 * (docs/decisions/money.md#order-of-refusal).
 */
public final class Refusals {
  private Refusals() {}

  /**
   * Returns the 402 of a scope that is short.
   *
   * @param available the most that could have been reserved
   */
  static ReserveResult.Refused of(Shortage shortage, Window window, long required, long available) {
    var most = new MicroUsd(available);
    return new ReserveResult.Refused(
        fault(shortage, window, new MicroUsd(required), most),
        ReserveResult.RefusalCause.INSUFFICIENT_FUNDS,
        most);
  }

  /** Returns the fault of scopes that are short, which names the first. */
  public static Fault fault(List<Shortage> shortages, Window window, MicroUsd required) {
    long free = shortages.stream().mapToLong(each -> each.free().value()).min().orElse(0);
    return fault(shortages.getFirst(), window, required, new MicroUsd(Math.max(0, free)));
  }

  private static Fault fault(
      Shortage shortage, Window window, MicroUsd required, MicroUsd available) {
    ScopeKind kind = shortage.scope().kind();
    Map<String, Object> details = details(shortage);
    details.put("required_micro", required.value());
    details.put("available_micro", available.value());
    Instant resets = window.resetsAt(kind);
    if (!resets.equals(Instant.MAX)) {
      details.put("resets_at", resets.toString());
    }
    return Fault.of(
            kind.refusal(),
            "%s: it reserves %d micro-USD, and %d are available."
                .formatted(message(kind), required.value(), available.value()))
        .withDetails(details);
  }

  /** Returns the 402 of a balance that is used up, for any amount. */
  static Fault usedUp(Shortage shortage) {
    return Fault.of(shortage.scope().kind().refusal(), "The organization's balance is used up.")
        .withDetails(details(shortage));
  }

  private static Map<String, Object> details(Shortage shortage) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("scope", name(shortage.scope().kind()));
    details.put("limit_micro", shortage.limit().value());
    details.put("spent_micro", shortage.used().value());
    details.put("reserved_micro", shortage.leased().value());
    return details;
  }

  private static String name(ScopeKind kind) {
    return switch (kind) {
      case ORG -> "organization";
      case ORG_MONTH -> "organization_month";
      case KEY_DAY -> "key_day";
      case KEY_MONTH -> "key_month";
    };
  }

  private static String message(ScopeKind kind) {
    return switch (kind) {
      case ORG -> "The organization's balance cannot cover what this request may cost";
      case ORG_MONTH -> "This request may exceed the organization's monthly spending limit";
      case KEY_DAY -> "This request may exceed the key's daily budget";
      case KEY_MONTH -> "This request may exceed the key's monthly budget";
    };
  }

  /** Returns the 503 of a node that cannot decide. */
  static ReserveResult.Refused unavailable(String message) {
    return new ReserveResult.Refused(
        Fault.tryLater(message), ReserveResult.RefusalCause.STORE_UNAVAILABLE);
  }

  /** Returns the 503 of an overloaded node. */
  static ReserveResult.Refused overloaded(String message) {
    return new ReserveResult.Refused(
        Fault.tryLater(message), ReserveResult.RefusalCause.NODE_OVERLOADED);
  }
}

package dev.tollgate.server.explorer;

import dev.tollgate.core.ledger.Settlement.SettlementKind;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One request with all that is stored of it.
 *
 * @param line its line of the request log; null if a charge has none
 * @param lineText the line as it was written, which names the prices that were applied
 * @param priced the prices that were applied to a job, which the line cannot name
 * @param charge null if it was not charged
 * @param job the job that it submitted
 * @param keptUntil when the request log drops its day because of its age
 */
public record RequestDetail(
    RequestRow row,
    @Nullable RequestLine line,
    @Nullable String lineText,
    @Nullable String priced,
    @Nullable Charge charge,
    @Nullable UUID job,
    Instant keptUntil) {

  /**
   * Charge of a request.
   *
   * @param how whether the request was completed, partial, abandoned or ended by a crash
   */
  public record Charge(
      SettlementKind how,
      long reservedMicro,
      long costMicro,
      long overrunMicro,
      Instant settledAt,
      List<Scope> scopes) {
    public Charge {
      scopes = List.copyOf(scopes);
    }
  }

  /**
   * Sum that a charge counts in.
   *
   * @param reserved true if money was reserved there
   */
  public record Scope(Kind kind, String scopeId, boolean reserved) {

    /** Kind of a sum. */
    public enum Kind {
      BALANCE,
      MONTH,
      KEY_DAY,
      KEY_MONTH
    }
  }

  /** Returns what the charge was computed from, as far as it is recorded. */
  PricedRecord pricedRecord() {
    if (priced != null) {
      return PricedRecord.ofJob(priced);
    }
    return lineText == null ? PricedRecord.NONE : PricedRecord.ofRow(lineText);
  }

  /** Returns the members of the routing reason by name, in their order. */
  public Map<String, String> routing() {
    RequestLine its = line;
    String reason = its == null ? null : its.routing();
    if (reason == null) {
      return Map.of();
    }
    Map<String, String> members = new LinkedHashMap<>();
    for (String member : reason.split(" ", -1)) {
      int equals = member.indexOf('=');
      if (equals > 0) {
        members.put(member.substring(0, equals), member.substring(equals + 1));
      }
    }
    return Collections.unmodifiableMap(members);
  }
}

package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.money.MicroUsd;
import java.util.Locale;

/**
 * Final charge of a request, as it is journaled and then sent to the ledger store. It is sent until
 * the store acknowledges it, and settled once by its request id.
 *
 * @param scopeKinds the kinds of scopes whose leases it spends, as {@link ScopeKind#bit bits}
 * @param row the request log row, a JSON object in UTF-8; empty means none
 */
@SuppressWarnings("ArrayRecordComponent") // written once and compared nowhere
public record Settlement(
    RequestId request,
    OrgId org,
    KeyId key,
    int scopeKinds,
    MicroUsd reserved,
    MicroUsd cost,
    Tokens tokens,
    SettlementKind how,
    byte[] row) {

  /** Way in which the charged request ended. */
  public enum SettlementKind {
    /** The request succeeded. */
    COMPLETED,
    /** The request failed after something was delivered. */
    PARTIAL,
    /** The client disconnected. */
    ABANDONED,
    /** The node died; recovery charged the last progress. */
    CRASH;

    private final String wire = name().toLowerCase(Locale.ROOT);

    public String wire() {
      return wire;
    }
  }

  /** Returns the window that the charge belongs to, which follows from the request id. */
  public Window window() {
    return Window.at(request.epochMillis());
  }

  /** Returns this charge without its request log row. */
  public Settlement withoutRow() {
    return new Settlement(request, org, key, scopeKinds, reserved, cost, tokens, how, new byte[0]);
  }

  /** Returns the cost above the reservation. */
  public MicroUsd overrun() {
    return new MicroUsd(Math.max(0, cost.value() - reserved.value()));
  }
}

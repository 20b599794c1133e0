package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.ledger.JournalRecord.Tokens;
import dev.tollgate.core.money.MicroUsd;
import java.util.Locale;

/**
 * The one charge of a request, as it travels from the journal to the store. Sent as often as it
 * takes; booked once, by its request's id.
 *
 * @param scopeKinds the kinds of scopes whose lease it spends, as {@link ScopeKind#bit bits}
 * @param row the request's line in the request log, a JSON object in UTF-8; empty: none
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

  /** How a charge came about. */
  public enum SettlementKind {
    /** The request ended well. */
    COMPLETED,
    /** It ended badly after something was delivered. */
    PARTIAL,
    /** Its client left. */
    ABANDONED,
    /** The node died; recovery charged what the last progress said. */
    CRASH;

    private final String wire = name().toLowerCase(Locale.ROOT);

    public String wire() {
      return wire;
    }
  }

  /** Whose money it is. */
  public Payer payer() {
    return Payer.of(org, key, request);
  }

  /** The same charge without a line in the request log. */
  public Settlement withoutRow() {
    return new Settlement(request, org, key, scopeKinds, reserved, cost, tokens, how, new byte[0]);
  }

  /** What it cost above what had been reserved. */
  public MicroUsd overrun() {
    return new MicroUsd(Math.max(0, cost.value() - reserved.value()));
  }
}

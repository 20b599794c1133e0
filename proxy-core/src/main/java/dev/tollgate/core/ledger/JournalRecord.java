package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;

/**
 * Journal record of one step of a request's charge: reserve, progress, settle or release. The
 * records contain everything needed to charge the request: recovery never needs a price.
 */
public sealed interface JournalRecord {
  RequestId request();

  /**
   * The worst case is reserved; the request may be sent.
   *
   * @param scopeKinds the kinds of scopes with a reservation, as {@link ScopeKind#bit bits}: a kind
   *     without a limit has none
   */
  record Reserve(RequestId request, OrgId org, KeyId key, int scopeKinds, MicroUsd reserved)
      implements JournalRecord {}

  /** The charge of a running stream so far. */
  record Progress(RequestId request, MicroUsd cost, Tokens tokens) implements JournalRecord {}

  /** The request ended and is charged; its client receives the cost when this record is durable. */
  record Settle(Settlement settlement) implements JournalRecord {
    @Override
    public RequestId request() {
      return settlement.request();
    }
  }

  /** The request ended without a charge. */
  record Release(RequestId request) implements JournalRecord {}

  /** Tokens of a charge. */
  record Tokens(long prompt, long completion, long cached, long reasoning, boolean estimated) {
    public static final Tokens NONE = new Tokens(0, 0, 0, 0, false);
  }
}

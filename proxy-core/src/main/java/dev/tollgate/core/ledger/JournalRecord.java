package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.money.MicroUsd;

/**
 * What a node writes down about one request's money. Everything needed to charge it stands in the
 * records: recovery never needs a price.
 */
public sealed interface JournalRecord {
  RequestId request();

  /**
   * Money was set aside; the request may be sent.
   *
   * @param scopeKinds the kinds of scopes in which it was, as {@link ScopeKind#bit bits}: a kind
   *     without a limit holds nothing
   */
  record Reserve(RequestId request, OrgId org, KeyId key, int scopeKinds, MicroUsd reserved)
      implements JournalRecord {}

  /** A running stream was worth this much so far. */
  record Progress(RequestId request, MicroUsd cost, Tokens tokens) implements JournalRecord {}

  /** The request ended and is charged; its client learns the cost when this is on the disk. */
  record Settle(Settlement settlement) implements JournalRecord {
    @Override
    public RequestId request() {
      return settlement.request();
    }
  }

  /** The request ended and costs nothing. */
  record Release(RequestId request) implements JournalRecord {}

  /** The tokens that a charge is for. */
  record Tokens(long prompt, long completion, long cached, long reasoning, boolean estimated) {
    public static final Tokens NONE = new Tokens(0, 0, 0, 0, false);
  }
}

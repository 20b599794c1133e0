package dev.tollgate.core.ledger;

import dev.tollgate.core.fault.ErrorCode;

/**
 * The kinds of sums that limit a request's cost, in the order in which they refuse (DECISIONS 8).
 */
public enum ScopeKind {
  /** What an organization paid in, less what it used. */
  ORG("org", ErrorCode.INSUFFICIENT_CREDITS),
  /** An organization's spending limit of one calendar month. */
  ORG_MONTH("orgm", ErrorCode.SPENDING_LIMIT_EXCEEDED),
  /** A key's budget of one calendar day. */
  KEY_DAY("keyd", ErrorCode.BUDGET_EXCEEDED),
  /** A key's budget of one calendar month. */
  KEY_MONTH("keym", ErrorCode.BUDGET_EXCEEDED);

  private final String prefix;
  private final ErrorCode refusal;

  ScopeKind(String prefix, ErrorCode refusal) {
    this.prefix = prefix;
    this.refusal = refusal;
  }

  /** The word before the first colon of a scope's id. */
  public String prefix() {
    return prefix;
  }

  /** The 402 of a request that does not fit. */
  public ErrorCode refusal() {
    return refusal;
  }

  /** This kind in a set of kinds kept as bits. */
  public int bit() {
    return 1 << ordinal();
  }
}

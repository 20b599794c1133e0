package dev.tollgate.core.ledger;

import dev.tollgate.core.fault.ErrorCode;
import java.util.List;

/**
 * The kinds of sums that limit a request's cost, in the order in which they refuse
 * (docs/decisions/money.md#order-of-refusal).
 */
public enum ScopeKind {
  /** What an organization paid in, less what it used. */
  ORG(1, "org", ErrorCode.INSUFFICIENT_CREDITS),
  /** An organization's spending limit of one calendar month. */
  ORG_MONTH(2, "orgm", ErrorCode.SPENDING_LIMIT_EXCEEDED),
  /** A key's budget of one calendar day. */
  KEY_DAY(4, "keyd", ErrorCode.BUDGET_EXCEEDED),
  /** A key's budget of one calendar month. */
  KEY_MONTH(8, "keym", ErrorCode.BUDGET_EXCEEDED);

  /** All kinds, in their order. */
  static final List<ScopeKind> ALL = List.of(values());

  private final int bit;
  private final String prefix;
  private final ErrorCode refusal;

  ScopeKind(int bit, String prefix, ErrorCode refusal) {
    this.bit = bit;
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

  /** This kind in a set of kinds kept as bits; journals and books store it. */
  public int bit() {
    return bit;
  }
}

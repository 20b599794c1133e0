package dev.tollgate.core.ledger;

import dev.tollgate.core.fault.ErrorCode;
import java.util.List;

/**
 * Kinds of spending scopes that limit a request's cost, in the order in which they refuse
 * (docs/decisions/money.md#order-of-refusal).
 */
public enum ScopeKind {
  /** An organization's balance: what it paid in, less what it used. */
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

  /** Returns the text before the first colon of a scope's id. */
  public String prefix() {
    return prefix;
  }

  /** Returns the 402 of a request that exceeds the scope. */
  public ErrorCode refusal() {
    return refusal;
  }

  /**
   * Returns the bit of this kind in a set of kinds. Journals and the ledger store contain it, so it
   * never changes.
   */
  public int bit() {
    return bit;
  }
}

package dev.tollgate.server.explorer;

import java.util.Locale;

/** Remark about the arithmetic of a charge. */
public enum ArithmeticNote {
  ESTIMATED("the provider reported no complete usage, so the gateway counted"),
  PARTIAL("the request failed; what was delivered before is charged"),
  ABANDONED("the client disconnected; what the provider made is charged"),
  CRASH("the node crashed; the last progress that it had recorded is charged"),
  OVERRUN("the charge is above what was reserved, and is booked in full"),
  MINIMUM("what has a price costs at least 1 micro-USD"),
  BELOW_COST("the request cost the operator more, which is not charged"),
  NOT_RECORDED("what the charge was computed from is not recorded"),
  PRICES_UNKNOWN("the prices that were applied are not in the store"),
  DIFFERS("the lines do not add up to the charge");

  private final String wire = name().toLowerCase(Locale.ROOT);
  private final String sentence;

  ArithmeticNote(String sentence) {
    this.sentence = sentence;
  }

  public String wire() {
    return wire;
  }

  /** Returns the remark in words. */
  public String sentence() {
    return sentence;
  }
}

package dev.tollgate.server.acceptance;

import java.util.Map;
import java.util.Set;

/**
 * One way a provider fails, as the mock provider plays it, and what everybody is to see of it.
 *
 * @param row the catalogue's row
 * @param model what the mock is asked for
 * @param address where the provider is said to be
 * @param ask what the client asks for
 * @param settings what its provider's settings have beside the usual
 */
record FaultCase(
    String row,
    String model,
    Address address,
    Ask ask,
    Map<String, ?> settings,
    Expected expected) {

  private static final Set<String> SILENT = Set.of("U02", "U09", "U10", "U30", "U33", "U43", "U44");

  /** Where the provider is said to be. */
  enum Address {
    MOCK,
    REFUSED,
    BLACK_HOLE,
    UNTRUSTED,
    NO_TLS,
    UNKNOWN_NAME
  }

  /** What the client asks for. */
  enum Ask {
    STREAM,
    PLAIN,
    /** A stream, with a prompt that does not fit into one read. */
    LONG_PROMPT
  }

  /** How often a provider is asked that fails like this. */
  enum ExpectedAttempts {
    /** Another one, else the same once more. */
    ELSEWHERE_OR_AGAIN,
    /** Another one, but never the same again. */
    ELSEWHERE,
    /** Nobody else, and not again. */
    ONCE
  }

  /** Where a success has its usage from. */
  enum Usage {
    REPORTED,
    ESTIMATED,
    ZERO
  }

  /** What the client sees in the end where no other provider can be asked. */
  sealed interface Expected {
    /** An HTTP error, charged nothing. */
    record Refused(int status, String code, String outcome, ExpectedAttempts tries)
        implements Expected {}

    /** So many content events, the usage so far, an error, and the terminator. */
    record Broken(String code, int contents) implements Expected {}

    /** A reply without a flaw, of so many content events. */
    record Served(Usage usage, int contents) implements Expected {}

    /** The same after a try that failed. */
    record Recovered() implements Expected {}
  }

  String outcome() {
    return switch (expected) {
      case Expected.Refused refused -> refused.outcome();
      case Expected.Broken broken -> broken.code();
      case Expected.Served served -> served.usage() == Usage.ESTIMATED ? "ok_estimated" : "ok";
      case Expected.Recovered _ -> "ok";
    };
  }

  /** Whether another provider, where there is one, serves instead. */
  boolean failsOver() {
    return switch (expected) {
      case Expected.Refused refused -> refused.tries() != ExpectedAttempts.ONCE;
      case Expected.Broken _, Expected.Served _ -> false;
      case Expected.Recovered _ -> true;
    };
  }

  /** Whether the mock provider works at it for so long that others would notice. */
  boolean isLarge() {
    return model.startsWith("fault/big-line");
  }

  /** Whether the provider falls silent, so that a clock has to end it. */
  boolean waits() {
    return SILENT.contains(row);
  }

  boolean isStream() {
    return ask != Ask.PLAIN;
  }

  FaultCase plain() {
    return new FaultCase(row, model, address, Ask.PLAIN, settings, expected);
  }

  FaultCase longPrompt() {
    return new FaultCase(row, model, address, Ask.LONG_PROMPT, settings, expected);
  }

  FaultCase with(Map<String, ?> changed) {
    return new FaultCase(row, model, address, ask, changed, expected);
  }

  @Override
  public String toString() {
    return row + " " + (address == Address.MOCK ? model : address) + (isStream() ? "" : " plain");
  }
}

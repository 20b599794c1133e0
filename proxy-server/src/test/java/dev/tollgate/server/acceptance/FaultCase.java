package dev.tollgate.server.acceptance;

import java.util.Map;
import java.util.Set;

/**
 * Fault of a provider, as the mock provider plays it, with its expected effects.
 *
 * @param row row of the catalogue
 * @param model model of the mock provider
 * @param address configured address of the provider
 * @param ask request of the client
 * @param settings additional settings of the provider
 */
record FaultCase(
    String row,
    String model,
    Address address,
    Ask ask,
    Map<String, ?> settings,
    Expected expected) {

  private static final Set<String> SILENT = Set.of("U02", "U09", "U10", "U30", "U33", "U43", "U44");

  /** Configured address of the provider. */
  enum Address {
    MOCK,
    REFUSED,
    BLACK_HOLE,
    UNTRUSTED,
    NO_TLS,
    UNKNOWN_NAME
  }

  /** Request of the client. */
  enum Ask {
    STREAM,
    PLAIN,
    /** A stream, with a prompt that does not fit into one read. */
    LONG_PROMPT
  }

  /** Retries after such a fault. */
  enum ExpectedAttempts {
    /** At another provider, else once more at the same. */
    ELSEWHERE_OR_AGAIN,
    /** At another provider, never at the same. */
    ELSEWHERE,
    /** No retry. */
    ONCE
  }

  /** Source of a success's usage. */
  enum Usage {
    REPORTED,
    ESTIMATED,
    ZERO
  }

  /** Result for the client if no other provider is available. */
  sealed interface Expected {
    /** An HTTP error, without a charge. */
    record Refused(int status, String code, String outcome, ExpectedAttempts tries)
        implements Expected {}

    /** This many content events, the usage so far, an error, and the terminator. */
    record Broken(String code, int contents) implements Expected {}

    /** A flawless reply, with this many content events. */
    record Served(Usage usage, int contents) implements Expected {}

    /** A flawless reply after a failed attempt. */
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

  /** True if another provider, if there is one, serves instead. */
  boolean failsOver() {
    return switch (expected) {
      case Expected.Refused refused -> refused.tries() != ExpectedAttempts.ONCE;
      case Expected.Broken _, Expected.Served _ -> false;
      case Expected.Recovered _ -> true;
    };
  }

  /** True if the mock provider is busy with it for so long that other cases would be affected. */
  boolean isLarge() {
    return model.startsWith("fault/big-line");
  }

  /** True if the provider stops sending, so that a timeout has to end it. */
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

package dev.tollgate.server.acceptance;

import dev.tollgate.server.acceptance.FaultCase.Address;
import dev.tollgate.server.acceptance.FaultCase.Ask;
import dev.tollgate.server.acceptance.FaultCase.Expected;
import dev.tollgate.server.acceptance.FaultCase.Expected.Broken;
import dev.tollgate.server.acceptance.FaultCase.Expected.Recovered;
import dev.tollgate.server.acceptance.FaultCase.Expected.Refused;
import dev.tollgate.server.acceptance.FaultCase.Expected.Served;
import dev.tollgate.server.acceptance.FaultCase.ExpectedAttempts;
import dev.tollgate.server.acceptance.FaultCase.Usage;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Every provider row of the fault catalogue, as the mock provider plays it. */
final class FaultCases {
  /** Content events of a whole reply. */
  static final int WHOLE = 8;

  private static final Expected UNAVAILABLE =
      new Refused(
          503, "provider_unavailable", "provider_unavailable", ExpectedAttempts.ELSEWHERE_OR_AGAIN);
  private static final Expected SILENT =
      new Refused(504, "provider_timeout", "provider_timeout", ExpectedAttempts.ELSEWHERE);
  private static final Expected DISCONNECT =
      new Refused(
          502, "provider_disconnect", "provider_disconnect", ExpectedAttempts.ELSEWHERE_OR_AGAIN);
  private static final Expected ERROR =
      new Refused(502, "provider_error", "provider_error", ExpectedAttempts.ELSEWHERE_OR_AGAIN);
  private static final Expected MISSING =
      new Refused(502, "provider_error", "provider_error", ExpectedAttempts.ELSEWHERE);
  private static final Expected REFUSED_KEY =
      new Refused(502, "provider_error", "provider_auth", ExpectedAttempts.ELSEWHERE);
  private static final Expected LIMITED =
      new Refused(
          429, "provider_rate_limited", "provider_rate_limited", ExpectedAttempts.ELSEWHERE);
  private static final Expected REJECTED =
      new Refused(400, "validation_failed", "provider_rejected", ExpectedAttempts.ONCE);
  private static final Expected TOO_LARGE =
      new Refused(413, "request_too_large", "provider_rejected", ExpectedAttempts.ONCE);
  private static final Expected CUT = new Broken("provider_disconnect", 4);
  private static final Expected INTERRUPTED = new Broken("stream_interrupted", 4);
  private static final Expected FINE = new Served(Usage.REPORTED, WHOLE);
  private static final Expected ESTIMATED = new Served(Usage.ESTIMATED, WHOLE);
  private static final Map<String, String> LARGE_EVENTS = Map.of("max_event_bytes", "32MiB");

  private FaultCases() {}

  static List<FaultCase> all() {
    return Stream.of(beforeTheHead(), insteadOfAStream(), duringTheStream(), anomalies(), plain())
        .flatMap(List::stream)
        .toList();
  }

  private static List<FaultCase> beforeTheHead() {
    return List.of(
        at("U01", Address.REFUSED, UNAVAILABLE),
        at("U02", Address.BLACK_HOLE, SILENT),
        at("U03", Address.UNTRUSTED, UNAVAILABLE),
        at("U03", Address.NO_TLS, UNAVAILABLE),
        at("U04", Address.UNKNOWN_NAME, UNAVAILABLE),
        faultCase("U05", "fault/reset-before-head", UNAVAILABLE),
        faultCase("U07", "fault/close-before-head", DISCONNECT),
        faultCase("U08", "fault/cut-head:1", DISCONNECT),
        faultCase("U08", "fault/cut-head:20", DISCONNECT),
        faultCase("U08", "fault/cut-head:60", DISCONNECT),
        faultCase("U09", "fault/silent", SILENT),
        faultCase("U10", "fault/slow-head", SILENT),
        faultCase("U11", "fault/huge-head", ERROR),
        faultCase("U11", "fault/many-headers", ERROR),
        faultCase("U12", "fault/not-http", ERROR),
        faultCase("U13", "fault/informational:1", FINE),
        faultCase("U13", "fault/informational:100", ERROR),
        faultCase("U14", "fault/switching", ERROR),
        faultCase("U15", "fault/two-lengths", ERROR),
        faultCase("U15", "fault/negative-length", ERROR),
        faultCase("U15", "fault/length-and-chunked", ERROR),
        faultCase("U16", "fault/500?times=1", new Recovered()),
        faultCase("U17", "fault/503", UNAVAILABLE),
        faultCase("U18", "fault/429:2?times=1", new Recovered()),
        faultCase("U19", "fault/429:9", LIMITED),
        faultCase("U20", "fault/context-length", REJECTED),
        faultCase("U21", "fault/content-filter", REJECTED),
        faultCase("U22", "fault/401", REFUSED_KEY),
        faultCase("U22", "fault/status:403", REFUSED_KEY),
        faultCase("U23", "fault/status:404", MISSING),
        faultCase("U28", "fault/early:413", TOO_LARGE).longPrompt(),
        faultCase("U28", "fault/early:401", REFUSED_KEY).longPrompt());
  }

  private static List<FaultCase> insteadOfAStream() {
    return List.of(
        faultCase("U24", "fault/302", ERROR),
        faultCase("U25", "fault/status:204", ERROR),
        faultCase("U25", "fault/status:304", ERROR),
        faultCase("U25", "fault/status:999", ERROR),
        faultCase("U25", "fault/status:20", ERROR),
        faultCase("U26", "fault/error-200", UNAVAILABLE),
        faultCase("U27", "fault/wrong-content-type", ERROR),
        faultCase("U30", "fault/silent-after-head", SILENT),
        faultCase("U31", "fault/empty", DISCONNECT),
        faultCase("U32", "fault/error-first", UNAVAILABLE),
        faultCase("U32", "fault/error-event-first", UNAVAILABLE),
        faultCase("U33", "fault/pings-only?interval=50ms", SILENT),
        faultCase("U34", "fault/cut-fin:0", DISCONNECT),
        faultCase("U55", "fault/gzip", ERROR),
        faultCase("U55", "fault/br", ERROR),
        faultCase("U75", "fault/503?seed=75", UNAVAILABLE));
  }

  private static List<FaultCase> duringTheStream() {
    return List.of(
        faultCase("U40", "fault/cut-fin:4", CUT),
        faultCase("U40", "fault/cut-byte:1600", CUT),
        faultCase("U41", "fault/cut-rst:4", INTERRUPTED),
        faultCase("U42", "fault/cut-clean:4", CUT),
        faultCase("U43", "fault/stall:4", INTERRUPTED),
        faultCase("U44", "fault/drip-event:4", INTERRUPTED),
        faultCase("U45", "fault/endless-line", new Broken("stream_interrupted", 1)),
        faultCase("U46", "fault/big-line:33", new Broken("stream_interrupted", 1))
            .with(LARGE_EVENTS),
        faultCase("U46", "fault/big-line:31", new Served(Usage.REPORTED, WHOLE + 1))
            .with(LARGE_EVENTS),
        // The catalogue drops such an event; it could be one that had text, so it breaks the
        // stream.
        faultCase("U47", "fault/malformed", INTERRUPTED),
        faultCase("U49", "fault/wrong-shape", new Broken("stream_interrupted", 1)),
        faultCase("U47", "fault/malformed-run:3", new Broken("stream_interrupted", 1)),
        faultCase("U52", "fault/cut-chunk:4", INTERRUPTED),
        faultCase("U52", "fault/chunk-bare-lf:4", INTERRUPTED),
        faultCase("U52", "fault/chunk-overflow:4", INTERRUPTED),
        faultCase("U57", "fault/cut-length:4", CUT),
        faultCase("U67", "fault/error-midway:4", INTERRUPTED),
        faultCase("U67", "fault/error-event-midway:4", INTERRUPTED),
        faultCase("U69", "fault/finish-error", new Broken("stream_interrupted", WHOLE)),
        faultCase("U69", "fault/finish-network-error", new Broken("stream_interrupted", WHOLE)));
  }

  private static List<FaultCase> anomalies() {
    return List.of(
        faultCase("U48", "fault/invalid-utf8", new Served(Usage.REPORTED, WHOLE + 1)),
        faultCase("U50", "fault/sse-crlf", FINE),
        faultCase("U50", "fault/sse-cr", FINE),
        faultCase("U50", "fault/sse-no-space", FINE),
        faultCase("U50", "fault/sse-multi-line", FINE),
        faultCase("U50", "fault/sse-comments", FINE),
        faultCase("U50", "fault/sse-fields", FINE),
        faultCase("U50", "fault/sse-blanks", FINE),
        faultCase("U51", "fault/byte-writes", FINE),
        faultCase("U53", "fault/chunk-extension", FINE),
        faultCase("U54", "fault/trailers", FINE),
        faultCase("U56", "fault/until-close", FINE),
        faultCase("U56", "fault/http-1-0", FINE),
        faultCase("U58", "fault/second-reply", FINE),
        faultCase("U58", "fault/long-body", FINE),
        faultCase("U59", "fault/ids-differ", FINE),
        faultCase("U60", "fault/finish-only", ESTIMATED),
        faultCase("U61", "fault/no-done", FINE),
        faultCase("U62", "fault/usage-early", FINE),
        faultCase("U62", "fault/usage-cumulative", FINE),
        faultCase("U63", "fault/usage-twice", FINE),
        faultCase("U64", "fault/usage-zero", new Served(Usage.ZERO, WHOLE)),
        faultCase("U65", "fault/usage-negative", ESTIMATED),
        faultCase("U65", "fault/usage-absurd", ESTIMATED),
        faultCase("U65", "fault/usage-text", ESTIMATED),
        faultCase("U66", "fault/content-after-done", FINE),
        faultCase("U68", "fault/error-after-finish", ESTIMATED));
  }

  private static List<FaultCase> plain() {
    return List.of(
        faultCase("U73", "fault/cut-fin", DISCONNECT).plain(),
        faultCase("U73", "fault/short-body", DISCONNECT).plain(),
        faultCase("U73", "fault/malformed", ERROR).plain(),
        faultCase("U73", "fault/big-line:2", ERROR).plain(),
        faultCase("U73", "fault/no-choices", ERROR).plain(),
        faultCase("U73", "fault/no-usage", ESTIMATED).plain());
  }

  private static FaultCase faultCase(String row, String model, Expected expected) {
    return new FaultCase(row, model, Address.MOCK, Ask.STREAM, Map.of(), expected);
  }

  private static FaultCase at(String row, Address address, Expected expected) {
    return new FaultCase(row, "mock-chat", address, Ask.STREAM, Map.of(), expected);
  }
}

package dev.tollgate.server.acceptance;

import dev.tollgate.server.acceptance.FaultPlay.Address;
import dev.tollgate.server.acceptance.FaultPlay.Ask;
import dev.tollgate.server.acceptance.FaultPlay.Expected;
import dev.tollgate.server.acceptance.FaultPlay.Expected.Broken;
import dev.tollgate.server.acceptance.FaultPlay.Expected.Healed;
import dev.tollgate.server.acceptance.FaultPlay.Expected.Refused;
import dev.tollgate.server.acceptance.FaultPlay.Expected.Served;
import dev.tollgate.server.acceptance.FaultPlay.Tries;
import dev.tollgate.server.acceptance.FaultPlay.Usage;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Every provider row of the fault catalogue, as the mock provider plays it. */
final class FaultPlays {
  /** Content events of a whole reply. */
  static final int WHOLE = 8;

  private static final Expected UNAVAILABLE =
      new Refused(503, "provider_unavailable", "provider_unavailable", Tries.ELSEWHERE_OR_AGAIN);
  private static final Expected SILENT =
      new Refused(504, "provider_timeout", "provider_timeout", Tries.ELSEWHERE);
  private static final Expected DISCONNECT =
      new Refused(502, "provider_disconnect", "provider_disconnect", Tries.ELSEWHERE_OR_AGAIN);
  private static final Expected ERROR =
      new Refused(502, "provider_error", "provider_error", Tries.ELSEWHERE_OR_AGAIN);
  private static final Expected MISSING =
      new Refused(502, "provider_error", "provider_error", Tries.ELSEWHERE);
  private static final Expected REFUSED_KEY =
      new Refused(502, "provider_error", "provider_auth", Tries.ELSEWHERE);
  private static final Expected LIMITED =
      new Refused(429, "provider_rate_limited", "provider_rate_limited", Tries.ELSEWHERE);
  private static final Expected REJECTED =
      new Refused(400, "validation_failed", "provider_rejected", Tries.ONCE);
  private static final Expected TOO_LARGE =
      new Refused(413, "request_too_large", "provider_rejected", Tries.ONCE);
  private static final Expected CUT = new Broken("provider_disconnect", 4);
  private static final Expected INTERRUPTED = new Broken("stream_interrupted", 4);
  private static final Expected FINE = new Served(Usage.REPORTED, WHOLE);
  private static final Expected ESTIMATED = new Served(Usage.ESTIMATED, WHOLE);
  private static final Map<String, String> LARGE_EVENTS = Map.of("max_event_bytes", "32MiB");

  private FaultPlays() {}

  static List<FaultPlay> all() {
    return Stream.of(beforeTheHead(), insteadOfAStream(), duringTheStream(), oddities(), plain())
        .flatMap(List::stream)
        .toList();
  }

  private static List<FaultPlay> beforeTheHead() {
    return List.of(
        at("U01", Address.REFUSED, UNAVAILABLE),
        at("U02", Address.BLACK_HOLE, SILENT),
        at("U03", Address.UNTRUSTED, UNAVAILABLE),
        at("U03", Address.NO_TLS, UNAVAILABLE),
        at("U04", Address.UNKNOWN_NAME, UNAVAILABLE),
        play("U05", "fault/reset-before-head", UNAVAILABLE),
        play("U07", "fault/close-before-head", DISCONNECT),
        play("U08", "fault/cut-head:1", DISCONNECT),
        play("U08", "fault/cut-head:20", DISCONNECT),
        play("U08", "fault/cut-head:60", DISCONNECT),
        play("U09", "fault/silent", SILENT),
        play("U10", "fault/slow-head", SILENT),
        play("U11", "fault/huge-head", ERROR),
        play("U11", "fault/many-headers", ERROR),
        play("U12", "fault/not-http", ERROR),
        play("U13", "fault/informational:1", FINE),
        play("U13", "fault/informational:100", ERROR),
        play("U14", "fault/switching", ERROR),
        play("U15", "fault/two-lengths", ERROR),
        play("U15", "fault/negative-length", ERROR),
        play("U15", "fault/length-and-chunked", ERROR),
        play("U16", "fault/500?times=1", new Healed()),
        play("U17", "fault/503", UNAVAILABLE),
        play("U18", "fault/429:2?times=1", new Healed()),
        play("U19", "fault/429:9", LIMITED),
        play("U20", "fault/context-length", REJECTED),
        play("U21", "fault/content-filter", REJECTED),
        play("U22", "fault/401", REFUSED_KEY),
        play("U22", "fault/status:403", REFUSED_KEY),
        play("U23", "fault/status:404", MISSING),
        play("U28", "fault/early:413", TOO_LARGE).longPrompt(),
        play("U28", "fault/early:401", REFUSED_KEY).longPrompt());
  }

  private static List<FaultPlay> insteadOfAStream() {
    return List.of(
        play("U24", "fault/302", ERROR),
        play("U25", "fault/status:204", ERROR),
        play("U25", "fault/status:304", ERROR),
        play("U25", "fault/status:999", ERROR),
        play("U25", "fault/status:20", ERROR),
        play("U26", "fault/error-200", UNAVAILABLE),
        play("U27", "fault/wrong-content-type", ERROR),
        play("U30", "fault/silent-after-head", SILENT),
        play("U31", "fault/empty", DISCONNECT),
        play("U32", "fault/error-first", UNAVAILABLE),
        play("U32", "fault/error-event-first", UNAVAILABLE),
        play("U33", "fault/pings-only?interval=50ms", SILENT),
        play("U34", "fault/cut-fin:0", DISCONNECT),
        play("U55", "fault/gzip", ERROR),
        play("U55", "fault/br", ERROR),
        play("U75", "fault/503?seed=75", UNAVAILABLE));
  }

  private static List<FaultPlay> duringTheStream() {
    return List.of(
        play("U40", "fault/cut-fin:4", CUT),
        play("U40", "fault/cut-byte:1600", CUT),
        play("U41", "fault/cut-rst:4", INTERRUPTED),
        play("U42", "fault/cut-clean:4", CUT),
        play("U43", "fault/stall:4", INTERRUPTED),
        play("U44", "fault/drip-event:4", INTERRUPTED),
        play("U45", "fault/endless-line", new Broken("stream_interrupted", 1)),
        play("U46", "fault/big-line:33", new Broken("stream_interrupted", 1)).with(LARGE_EVENTS),
        play("U46", "fault/big-line:31", new Served(Usage.REPORTED, WHOLE + 1)).with(LARGE_EVENTS),
        play("U47", "fault/malformed-run:3", new Broken("stream_interrupted", 1)),
        play("U52", "fault/cut-chunk:4", INTERRUPTED),
        play("U52", "fault/chunk-bare-lf:4", INTERRUPTED),
        play("U52", "fault/chunk-overflow:4", INTERRUPTED),
        play("U57", "fault/cut-length:4", CUT),
        play("U67", "fault/error-midway:4", INTERRUPTED),
        play("U67", "fault/error-event-midway:4", INTERRUPTED),
        play("U69", "fault/finish-error", new Broken("stream_interrupted", WHOLE)),
        play("U69", "fault/finish-network-error", new Broken("stream_interrupted", WHOLE)));
  }

  private static List<FaultPlay> oddities() {
    return List.of(
        play("U47", "fault/malformed", FINE),
        play("U48", "fault/invalid-utf8", FINE),
        play("U49", "fault/wrong-shape", FINE),
        play("U50", "fault/sse-crlf", FINE),
        play("U50", "fault/sse-cr", FINE),
        play("U50", "fault/sse-no-space", FINE),
        play("U50", "fault/sse-multi-line", FINE),
        play("U50", "fault/sse-comments", FINE),
        play("U50", "fault/sse-fields", FINE),
        play("U50", "fault/sse-blanks", FINE),
        play("U51", "fault/byte-writes", FINE),
        play("U53", "fault/chunk-extension", FINE),
        play("U54", "fault/trailers", FINE),
        play("U56", "fault/until-close", FINE),
        play("U56", "fault/http-1-0", FINE),
        play("U58", "fault/second-reply", FINE),
        play("U58", "fault/long-body", FINE),
        play("U59", "fault/ids-differ", FINE),
        play("U60", "fault/finish-only", ESTIMATED),
        play("U61", "fault/no-done", FINE),
        play("U62", "fault/usage-early", FINE),
        play("U62", "fault/usage-cumulative", FINE),
        play("U63", "fault/usage-twice", FINE),
        play("U64", "fault/usage-zero", new Served(Usage.ZERO, WHOLE)),
        play("U65", "fault/usage-negative", ESTIMATED),
        play("U65", "fault/usage-absurd", ESTIMATED),
        play("U65", "fault/usage-text", ESTIMATED),
        play("U66", "fault/content-after-done", FINE),
        play("U68", "fault/error-after-finish", ESTIMATED));
  }

  private static List<FaultPlay> plain() {
    return List.of(
        play("U73", "fault/cut-fin", DISCONNECT).plain(),
        play("U73", "fault/short-body", DISCONNECT).plain(),
        play("U73", "fault/malformed", ERROR).plain(),
        play("U73", "fault/big-line:2", ERROR).plain(),
        play("U73", "fault/no-choices", ERROR).plain(),
        play("U73", "fault/no-usage", ESTIMATED).plain());
  }

  private static FaultPlay play(String row, String model, Expected expected) {
    return new FaultPlay(row, model, Address.MOCK, Ask.STREAM, Map.of(), expected);
  }

  private static FaultPlay at(String row, Address address, Expected expected) {
    return new FaultPlay(row, "mock-chat", address, Ask.STREAM, Map.of(), expected);
  }
}

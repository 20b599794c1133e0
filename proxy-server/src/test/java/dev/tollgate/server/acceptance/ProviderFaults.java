package dev.tollgate.server.acceptance;

import static dev.tollgate.server.acceptance.ScriptedTurn.BEFORE;
import static dev.tollgate.server.acceptance.ScriptedTurn.error;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.server.acceptance.ScriptedTurn.Play;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Faults of providers over raw sockets, row by row: what one sends, and what its client gets. */
final class ProviderFaults {
  private static final Duration LATE = Duration.ofMillis(450);

  private ProviderFaults() {}

  /**
   * @param silentTls address that accepts connections and never says a byte
   * @param elsewhere address to which a provider redirects
   */
  static List<ProviderFault> all(String silentTls, String elsewhere) {
    return Stream.of(
            insteadOfAStream(silentTls, elsewhere),
            amid(),
            connections(),
            limits(),
            BrokenEventFaults.all())
        .flatMap(List::stream)
        .toList();
  }

  private static List<ProviderFault> insteadOfAStream(String silentTls, String elsewhere) {
    return List.of(
        ProviderFault.of(
                "f01",
                "200 whose first event is an error",
                turn -> turn.send(Sse.HEAD).event(error("server_error")).send(Sse.END))
            .elsewhere()
            .by("first server_error", "second ok"),
        ProviderFault.of(
                "f27", "200 whose body is an error", turn -> turn.reply(200, error("server_error")))
            .elsewhere()
            .by("first server_error", "second ok"),
        ProviderFault.of("f02", "529", turn -> turn.refuse(529, "overloaded_error"))
            .elsewhere()
            .by("first server_error", "second ok"),
        ProviderFault.of(
                "f02b", "529, and no other provider", turn -> turn.refuse(529, "overloaded_error"))
            .refused(503, "provider_unavailable")
            .by("first server_error", "first server_error"),
        ProviderFault.of("f03", "the TLS handshake stalls", ScriptedTurn::whole)
            .set("base_url", silentTls)
            .timeout("connect", "700ms")
            .elsewhere()
            .neverSent(1)
            .by("first timed_out", "second ok"),
        ProviderFault.of(
                "f10",
                "a byte of the head at a time",
                turn -> {
                  for (char one : Sse.HEAD.toCharArray()) {
                    turn.send("" + one).pause(Duration.ofMillis(100));
                  }
                })
            .timeout("response_header", "700ms")
            .elsewhere()
            .by("first timed_out", "second ok"),
        ProviderFault.of(
                "f22",
                "comments for ever",
                turn -> {
                  turn.send(Sse.HEAD);
                  while (true) {
                    turn.send(Sse.raw(": wait\n\n")).pause(Duration.ofMillis(100));
                  }
                })
            .timeout("first_token", "700ms")
            .elsewhere()
            .by("first timed_out", "second ok"),
        ProviderFault.of(
                "f15",
                "gzip against our wish",
                turn -> turn.send(compressed(ScriptedTurn.wholeStream())))
            .elsewhere()
            .by("first unexpected_reply", "second ok"),
        ProviderFault.of(
                "f15b",
                "gzip, and no other provider",
                turn -> turn.send(compressed(ScriptedTurn.wholeStream())))
            .refused(502, "provider_error")
            .by("first unexpected_reply", "first unexpected_reply"),
        ProviderFault.of(
                "f16",
                "HTML with 200",
                turn ->
                    turn.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"))
            .elsewhere()
            .by("first unexpected_reply", "second ok"),
        ProviderFault.of(
                "f28", "a plain reply to a stream", turn -> turn.send(Sse.completion("plain")))
            .elsewhere()
            .by("first unexpected_reply", "second ok"),
        ProviderFault.of(
                "f17",
                "a body shorter than its Content-Length",
                turn ->
                    turn.send(
                            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                + "Content-Length: 500\r\n\r\n{\"id\":\"c-1\"")
                        .to()
                        .close())
            .with("\"stream\":false")
            .elsewhere()
            .by("first disconnected", "second ok"),
        ProviderFault.of(
                "f18",
                "307 to another server",
                turn -> turn.reply(307, "{}", "Location: " + elsewhere))
            .elsewhere()
            .by("first unexpected_reply", "second ok"),
        ProviderFault.of(
            "f19",
            "100 and 103 ahead of 200",
            turn ->
                turn.send(
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                        + ScriptedTurn.wholeStream())),
        ProviderFault.of("f25", "only [DONE]", turn -> turn.send(Sse.HEAD + Sse.DONE + Sse.END))
            .elsewhere()
            .by("first disconnected", "second ok"),
        ProviderFault.of(
                "f34",
                "Content-Length and chunked together",
                turn ->
                    turn.send(
                        ScriptedTurn.wholeStream()
                            .replaceFirst("\r\n\r\n", "\r\nContent-Length: 9\r\n\r\n")))
            .elsewhere()
            .by("first unexpected_reply", "second ok"));
  }

  private static String compressed(String stream) {
    return stream.replaceFirst("\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n");
  }

  private static List<ProviderFault> amid() {
    Play chunkBreaks = turn -> turn.begin().send("zz\r\ndata");
    Play errorEvent = turn -> turn.begin().event(error("server_error")).send(Sse.END);
    Play cut = turn -> turn.untilClose(BEFORE, false, "");
    return List.of(
        ProviderFault.of("f04", "no framing, cut behind a whole event", cut)
            .breaks("provider_disconnect")
            .by("first disconnected"),
        ProviderFault.of("f04b", "the same, resumed", cut)
            .elsewhere()
            .resumed()
            .by("first disconnected", "second ok by replay"),
        ProviderFault.of("f05", "no framing, finished", turn -> turn.untilClose(29, true, "")),
        ProviderFault.of("f12", "the chunk framing breaks", chunkBreaks)
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of("f12b", "the same, resumed", chunkBreaks)
            .elsewhere()
            .resumed()
            .by("first interrupted", "second ok by replay"),
        ProviderFault.of(
            "f13",
            "[DONE] twice and an event behind",
            turn ->
                turn.begin()
                    .finish()
                    .send(Sse.usage(20, 29) + Sse.DONE + Sse.DONE + Sse.text("late") + Sse.END)),
        ProviderFault.of(
            "f14",
            "UTF-8 split byte by byte",
            turn -> turn.to().sendSplit(1, ScriptedTurn.wholeStream().getBytes(UTF_8))),
        ProviderFault.of(
            "f20",
            "reset behind [DONE]",
            turn -> turn.begin().finish().send(Sse.usage(20, 29) + Sse.DONE).to().reset()),
        ProviderFault.of(
                "f31",
                "silence behind [DONE]",
                turn -> turn.begin().finish().send(Sse.usage(20, 29) + Sse.DONE).to().stall())
            .and(seen -> seen.tookLess(3_000)),
        ProviderFault.of(
            "f32", "silence behind the finish", turn -> turn.begin().finish().to().stall()),
        ProviderFault.of("f23", "an error event", errorEvent)
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of("f23b", "the same, resumed", errorEvent)
            .elsewhere()
            .resumed()
            .by("first interrupted", "second ok by replay"),
        ProviderFault.of(
                "f26", "two cuts, then a refused prefill", turn -> turn.begin().to().close())
            .elsewhere(
                turn -> {
                  if (turn.isPrefilled()) {
                    turn.refuse(400, "invalid_prefill");
                  } else {
                    turn.whole();
                  }
                })
            .with("\"routing\":{\"resume\":\"auto\",\"models\":[\"row/f26-other\"]}")
            .by(
                "first disconnected",
                "first disconnected by replay",
                "second rejected by prefill",
                "second ok by replay"));
  }

  private static List<ProviderFault> connections() {
    return List.of(
        reused("f06", "a reused connection is closed as the request comes", t -> t.to().close())
            .by("first ok resent 1"),
        reused("f07", "a reused connection is reset as the request comes", t -> t.to().reset())
            .by("first ok resent 1"),
        reused(
                "f24",
                "a reused connection is closed after a while",
                t -> t.pause(LATE).to().close())
            .by("first disconnected", "first ok"),
        reused("g01", "a reused connection is reset after a while", t -> t.pause(LATE).to().reset())
            .by("first unreachable", "first ok"),
        reused("g02", "a reused connection is closed behind a byte", t -> t.send("H").to().close())
            .by("first disconnected", "first ok"),
        ProviderFault.of(
                "f21",
                "an unsolicited second reply",
                turn -> {
                  if (turn.number() == 0) {
                    turn.send(ScriptedTurn.wholeStream() + Sse.completion("of another client"));
                  } else {
                    turn.whole();
                  }
                })
            .asked(2));
  }

  /** The second request meets a connection that served the first. */
  private static ProviderFault reused(String row, String what, Play fault) {
    Play play =
        turn -> {
          if (turn.number() == 1) {
            fault.answer(turn);
          } else {
            turn.whole();
          }
        };
    return ProviderFault.of(row, what, play).asked(2);
  }

  private static List<ProviderFault> limits() {
    return List.of(
        ProviderFault.of(
                "f08",
                "429 with Retry-After as a date in 2 s",
                turn -> {
                  if (turn.number() == 0) {
                    turn.refuse(429, "rate_limit_exceeded", date(0), after(2));
                  } else {
                    turn.whole();
                  }
                })
            .by("first rate_limited", "first ok")
            .and(seen -> seen.tookAtLeast(1_900)),
        ProviderFault.of(
                "f09",
                "429 with Retry-After as a date in 30 s",
                turn -> turn.refuse(429, "rate_limit_exceeded", date(0), after(30)))
            .refused(429, "provider_rate_limited")
            .by("first rate_limited")
            .and(seen -> seen.retryAfter() == 30),
        ProviderFault.of(
                "f09b",
                "the same from a server without Date",
                turn -> turn.refuse(429, "rate_limit_exceeded", after(30)))
            .refused(429, "provider_rate_limited")
            .by("first rate_limited")
            .and(seen -> seen.retryAfter() >= 25 && seen.retryAfter() <= 30),
        withDeadKey("f11", "401 for a rotated key", 401, "invalid_api_key", 6),
        withDeadKey("f30", "429 for a key without quota", 429, "insufficient_quota", 10),
        ProviderFault.of("g03", "silence ahead of the head", turn -> turn.to().stall())
            .timeout("first_token", "700ms")
            .elsewhere()
            .by("first timed_out", "second ok")
            .and(seen -> seen.tookLess(5_000)),
        ProviderFault.of(
                "g04",
                "too long for the context of a route",
                turn -> turn.refuse(400, "context_length_exceeded"))
            .elsewhere()
            .by("first context_too_long", "second ok"));
  }

  private static ProviderFault withDeadKey(
      String row, String what, int status, String code, int asks) {
    Play play =
        turn -> {
          if (turn.to().request().header("authorization").endsWith(" dead")) {
            turn.refuse(status, code);
          } else {
            turn.whole();
          }
        };
    return ProviderFault.of(row, what, play)
        .set("api_key", "")
        .set("api_keys", List.of(Map.of("key", "dead"), Map.of("key", "good")))
        .asked(asks)
        .and(seen -> seen.used("dead") <= 1);
  }

  private static String date(int seconds) {
    return "Date: " + httpDate(seconds);
  }

  private static String after(int seconds) {
    return "Retry-After: " + httpDate(seconds);
  }

  private static String httpDate(int seconds) {
    return DateTimeFormatter.RFC_1123_DATE_TIME.format(
        Instant.now().plusSeconds(seconds).atOffset(ZoneOffset.UTC));
  }
}

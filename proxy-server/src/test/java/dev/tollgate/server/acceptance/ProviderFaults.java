package dev.tollgate.server.acceptance;

import static dev.tollgate.server.acceptance.ScriptedTurn.ANSWER;
import static dev.tollgate.server.acceptance.ScriptedTurn.BEFORE;
import static dev.tollgate.server.acceptance.ScriptedTurn.chunk;
import static dev.tollgate.server.acceptance.ScriptedTurn.error;
import static dev.tollgate.server.acceptance.ScriptedTurn.word;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.testkit.AnthropicWire;
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
  private static final String HALF =
      "{\"id\":\"c-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" half";
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
            brokenEvents(),
            otherBrokenEvents(),
            foreign())
        .flatMap(List::stream)
        .toList();
  }

  private static List<ProviderFault> insteadOfAStream(String silentTls, String elsewhere) {
    return List.of(
        ProviderFault.of(
                "F01",
                "200 whose first event is an error",
                turn -> turn.send(Sse.HEAD).event(error("server_error")).send(Sse.END))
            .elsewhere()
            .by("first server_error", "second ok"),
        ProviderFault.of(
                "F27", "200 whose body is an error", turn -> turn.reply(200, error("server_error")))
            .elsewhere()
            .by("first server_error", "second ok"),
        ProviderFault.of("F02", "529", turn -> turn.refuse(529, "overloaded_error"))
            .elsewhere()
            .by("first server_error", "second ok"),
        ProviderFault.of(
                "F02b", "529 and nobody else", turn -> turn.refuse(529, "overloaded_error"))
            .refused(503, "provider_unavailable")
            .by("first server_error", "first server_error"),
        ProviderFault.of("F03", "the TLS handshake stalls", ScriptedTurn::whole)
            .set("base_url", silentTls)
            .timeout("connect", "700ms")
            .elsewhere()
            .neverSent(1)
            .by("first timed_out", "second ok"),
        ProviderFault.of(
                "F10",
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
                "F22",
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
                "F15",
                "gzip against our wish",
                turn -> turn.send(compressed(ScriptedTurn.wholeStream())))
            .elsewhere()
            .by("first unexpected_reply", "second ok"),
        ProviderFault.of(
                "F15b",
                "gzip and nobody else",
                turn -> turn.send(compressed(ScriptedTurn.wholeStream())))
            .refused(502, "provider_error")
            .by("first unexpected_reply", "first unexpected_reply"),
        ProviderFault.of(
                "F16",
                "HTML with 200",
                turn ->
                    turn.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"))
            .elsewhere()
            .by("first unexpected_reply", "second ok"),
        ProviderFault.of(
                "F28", "a plain reply to a stream", turn -> turn.send(Sse.completion("plain")))
            .elsewhere()
            .by("first unexpected_reply", "second ok"),
        ProviderFault.of(
                "F17",
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
                "F18",
                "307 to another server",
                turn -> turn.reply(307, "{}", "Location: " + elsewhere))
            .elsewhere()
            .by("first unexpected_reply", "second ok"),
        ProviderFault.of(
            "F19",
            "100 and 103 ahead of 200",
            turn ->
                turn.send(
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                        + ScriptedTurn.wholeStream())),
        ProviderFault.of("F25", "only [DONE]", turn -> turn.send(Sse.HEAD + Sse.DONE + Sse.END))
            .elsewhere()
            .by("first disconnected", "second ok"),
        ProviderFault.of(
                "F34",
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
        ProviderFault.of("F04", "no framing, cut behind a whole event", cut)
            .breaks("provider_disconnect")
            .by("first disconnected"),
        ProviderFault.of("F04b", "the same, resumed", cut)
            .elsewhere()
            .resumed()
            .by("first disconnected", "second ok by replay"),
        ProviderFault.of("F05", "no framing, finished", turn -> turn.untilClose(29, true, "")),
        ProviderFault.of("F12", "the chunk framing breaks", chunkBreaks)
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of("F12b", "the same, resumed", chunkBreaks)
            .elsewhere()
            .resumed()
            .by("first interrupted", "second ok by replay"),
        ProviderFault.of(
            "F13",
            "[DONE] twice and an event behind",
            turn ->
                turn.begin()
                    .finish()
                    .send(Sse.usage(20, 29) + Sse.DONE + Sse.DONE + Sse.text("late") + Sse.END)),
        ProviderFault.of(
            "F14",
            "UTF-8 split byte by byte",
            turn -> turn.to().sendSplit(1, ScriptedTurn.wholeStream().getBytes(UTF_8))),
        ProviderFault.of(
            "F20",
            "reset behind [DONE]",
            turn -> turn.begin().finish().send(Sse.usage(20, 29) + Sse.DONE).to().reset()),
        ProviderFault.of(
                "F31",
                "silence behind [DONE]",
                turn -> turn.begin().finish().send(Sse.usage(20, 29) + Sse.DONE).to().stall())
            .and(seen -> seen.tookLess(3_000)),
        ProviderFault.of(
            "F32", "silence behind the finish", turn -> turn.begin().finish().to().stall()),
        ProviderFault.of("F23", "an error event", errorEvent)
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of("F23b", "the same, resumed", errorEvent)
            .elsewhere()
            .resumed()
            .by("first interrupted", "second ok by replay"),
        ProviderFault.of(
                "F26", "two cuts, then a refused prefill", turn -> turn.begin().to().close())
            .elsewhere(
                turn -> {
                  if (turn.isPrefilled()) {
                    turn.refuse(400, "invalid_prefill");
                  } else {
                    turn.whole();
                  }
                })
            .with("\"routing\":{\"resume\":\"auto\",\"models\":[\"row/F26-other\"]}")
            .by(
                "first disconnected",
                "first disconnected by replay",
                "second rejected by prefill",
                "second ok by replay"));
  }

  private static List<ProviderFault> connections() {
    return List.of(
        reused("F06", "a reused connection is closed as the request comes", t -> t.to().close())
            .by("first ok resent 1"),
        reused("F07", "a reused connection is reset as the request comes", t -> t.to().reset())
            .by("first ok resent 1"),
        reused(
                "F24",
                "a reused connection is closed after a while",
                t -> t.pause(LATE).to().close())
            .by("first disconnected", "first ok"),
        reused("G01", "a reused connection is reset after a while", t -> t.pause(LATE).to().reset())
            .by("first unreachable", "first ok"),
        reused("G02", "a reused connection is closed behind a byte", t -> t.send("H").to().close())
            .by("first disconnected", "first ok"),
        ProviderFault.of(
                "F21",
                "a second reply that nobody asked for",
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
                "F08",
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
                "F09",
                "429 with Retry-After as a date in 30 s",
                turn -> turn.refuse(429, "rate_limit_exceeded", date(0), after(30)))
            .refused(429, "provider_rate_limited")
            .by("first rate_limited")
            .and(seen -> seen.retryAfter() == 30),
        ProviderFault.of(
                "F09b",
                "the same from a server without Date",
                turn -> turn.refuse(429, "rate_limit_exceeded", after(30)))
            .refused(429, "provider_rate_limited")
            .by("first rate_limited")
            .and(seen -> seen.retryAfter() >= 25 && seen.retryAfter() <= 30),
        withDeadKey("F11", "401 for a rotated key", 401, "invalid_api_key", 6),
        withDeadKey("F30", "429 for a key without quota", 429, "insufficient_quota", 10),
        ProviderFault.of("G03", "silence ahead of the head", turn -> turn.to().stall())
            .timeout("first_token", "700ms")
            .elsewhere()
            .by("first timed_out", "second ok")
            .and(seen -> seen.tookLess(5_000)),
        ProviderFault.of(
                "G04",
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

  private static List<ProviderFault> brokenEvents() {
    String logprobs = ",\"logprobs\":{\"content\":[{\"logprob\":NaN,\"top\":-Infinity}]}";
    Play half = amid(HALF);
    return List.of(
        ProviderFault.of(
                "F35",
                "a byte that is no UTF-8",
                turn -> turn.begin().eventWithInvalidByte(chunk(word(BEFORE) + "ÿ", "")).rest())
            .says(ANSWER.replace(word(BEFORE), word(BEFORE) + "\ufffd")),
        ProviderFault.of(
                "F36",
                "NaN and -Infinity beside logprobs",
                turn -> turn.begin().event(chunk(word(BEFORE), logprobs)).rest())
            .and(seen -> seen.reply().text().contains("{\"logprob\":null,\"top\":null}")),
        ProviderFault.of("F37", "an event that is cut off", half)
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of("F37b", "the same, resumed", half)
            .elsewhere()
            .resumed()
            .by("first interrupted", "second ok by replay"));
  }

  /** An event instead of one word of the answer. */
  private static Play amid(String event) {
    return turn -> turn.begin().event(event).rest();
  }

  private static List<ProviderFault> otherBrokenEvents() {
    String call =
        """
        {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,\
        "delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"f",\
        "arguments":"{\\"a\\":\\"ÿ\\"}"}}]},"finish_reason":null}]}\
        """;
    return List.of(
        ProviderFault.of(
                "G05",
                "an event that is cut off, ahead of content",
                turn -> turn.send(Sse.HEAD + Sse.role()).event(HALF).rest())
            .elsewhere()
            .by("first malformed", "second ok"),
        ProviderFault.of(
                "G06",
                "events that are none, behind the finish",
                turn ->
                    turn.begin()
                        .finish()
                        .event(HALF)
                        .event("[1]")
                        .send(Sse.usage(20, 29) + Sse.DONE + Sse.END))
            .and(seen -> seen.log().at("/attempts/0/dropped_events").asInt() == 2),
        broken("G07", "choices are null", "{\"id\":\"c-1\",\"choices\":null}"),
        broken("G08", "a delta is a text", "{\"choices\":[{\"index\":0,\"delta\":\" half\"}]}"),
        broken("G09", "the root is an array", "[\" half\"]"),
        broken("G10", "a choice is a text", "{\"choices\":[\" half\"]}"),
        broken(
            "G11",
            "two first choices",
            "{\"choices\":[{\"delta\":{\"content\":\" a\"}},{\"delta\":{\"content\":\" b\"}}]}"),
        ProviderFault.of("G12", "a delta is a text, resumed", amid("{\"choices\":[{\"delta\":7}]}"))
            .elsewhere()
            .resumed()
            .by("first interrupted", "second ok by replay"),
        ProviderFault.of(
                "G13",
                "a choice of index 1",
                turn ->
                    turn.begin()
                        .event(chunk(" other", "").replace("\"index\":0", "\"index\":1"))
                        .send(Sse.text(word(BEFORE)))
                        .rest())
            .and(seen -> seen.log().at("/attempts/0/dropped_events").asInt() == 1),
        ProviderFault.of(
                "G14",
                "the connection ends within an event",
                turn -> turn.untilClose(BEFORE, false, "data: " + HALF))
            .breaks("provider_disconnect")
            .by("first disconnected"),
        ProviderFault.of(
            "G15",
            "the last event has no blank line",
            turn -> turn.untilClose(29, true, "data: [DONE]")),
        ProviderFault.of(
                "G16",
                "a byte that is no UTF-8 in the arguments of a tool",
                turn ->
                    turn.send(Sse.HEAD + Sse.role())
                        .eventWithInvalidByte(call)
                        .send(Sse.finish())
                        .send(Sse.usage(20, 5) + Sse.DONE + Sse.END))
            .says("{\"a\":\"\ufffd\"}"));
  }

  private static ProviderFault broken(String row, String what, String event) {
    return ProviderFault.of(row, what, amid(event))
        .breaks("stream_interrupted")
        .by("first interrupted");
  }

  // Other formats than OpenAI's

  private static List<ProviderFault> foreign() {
    String start = AnthropicWire.start(20);
    String stop = AnthropicWire.stop("end_turn", 29);
    String block = AnthropicWire.text(0, "one", " two", " three");
    String gemini =
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"%s\"}],\"role\":\"model\"}%s}]}\r\n\r\n";
    String finished = ",\"finishReason\":\"STOP\"";
    String line =
        "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},\"done\":%s}\n";
    return List.of(
        events(
                "G17",
                "Anthropic: NaN",
                "anthropic",
                start + block.replaceFirst("\"index\":0", "\"index\":0,\"x\":NaN") + stop)
            .says("one two three"),
        events(
                "G18",
                "Anthropic: an event that is cut off",
                "anthropic",
                start + block.replace(" two\"}}", " two") + stop)
            .breaks("stream_interrupted")
            .by("first interrupted"),
        events(
                "G19",
                "Anthropic: a delta is a text",
                "anthropic",
                start + block.replaceFirst("\"delta\":\\{[^}]*}", "\"delta\":\"one\"") + stop)
            .elsewhere()
            .by("first malformed", "second ok"),
        events(
                "G20",
                "Gemini: NaN",
                "gemini",
                gemini.formatted("one", ",\"avgLogprobs\":NaN")
                    + gemini.formatted(" two", finished))
            .says("one two"),
        events(
                "G21",
                "Gemini: a part is a text",
                "gemini",
                gemini.formatted("one", "")
                    + gemini.formatted(" two", "").replace("{\"text\":\" two\"}", "\" two\"")
                    + gemini.formatted(" three", finished))
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of(
                "G22",
                "Ollama: a line that is cut off",
                lines(
                    line.formatted("one", false)
                        + "{\"message\":{\"content\":\" tw\n"
                        + line.formatted(" three", true)))
            .set("type", "ollama")
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of(
                "G23",
                "Ollama: NaN",
                lines(line.formatted("one", "false,\"eval\":NaN") + line.formatted(" two", true)))
            .set("type", "ollama")
            .says("one two"));
  }

  private static ProviderFault events(String row, String what, String type, String stream) {
    return ProviderFault.of(row, what, turn -> turn.send(Sse.HEAD + Sse.raw(stream) + Sse.END))
        .set("type", type);
  }

  private static Play lines(String lines) {
    return turn ->
        turn.send(
            Sse.HEAD.replace("text/event-stream", "application/x-ndjson")
                + Sse.raw(lines)
                + Sse.END);
  }
}

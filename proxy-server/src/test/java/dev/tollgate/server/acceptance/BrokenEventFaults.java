package dev.tollgate.server.acceptance;

import static dev.tollgate.server.acceptance.ScriptedTurn.ANSWER;
import static dev.tollgate.server.acceptance.ScriptedTurn.BEFORE;
import static dev.tollgate.server.acceptance.ScriptedTurn.chunk;
import static dev.tollgate.server.acceptance.ScriptedTurn.word;

import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.server.acceptance.ScriptedTurn.Play;
import java.util.List;
import java.util.stream.Stream;

/** Events that a provider breaks, row by row: repaired, or a break of the stream. */
final class BrokenEventFaults {
  private static final String HALF =
      "{\"id\":\"c-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" half";

  private BrokenEventFaults() {}

  static List<ProviderFault> all() {
    return Stream.of(
            brokenEvents(), otherBrokenEvents(), ambiguous(), recovered(), anthropic(), others())
        .flatMap(List::stream)
        .toList();
  }

  private static List<ProviderFault> brokenEvents() {
    String scores = ",\"scores\":{\"logprob\":NaN,\"top\":-Infinity}";
    Play half = amid(HALF);
    return List.of(
        ProviderFault.of(
                "f35",
                "a byte that is no UTF-8",
                turn -> turn.begin().eventWithInvalidByte(chunk(word(BEFORE) + "ÿ", "")).rest())
            .says(ANSWER.replace(word(BEFORE), word(BEFORE) + "\ufffd")),
        ProviderFault.of(
                "f36",
                "NaN and -Infinity in a member beside the delta",
                turn -> turn.begin().event(chunk(word(BEFORE), scores)).rest())
            .and(seen -> seen.reply().text().contains("{\"logprob\":null,\"top\":null}")),
        ProviderFault.of("f37", "an event that is cut off", half)
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of("f37b", "the same, resumed", half)
            .elsewhere()
            .resumed()
            .by("first interrupted", "second ok by replay"));
  }

  /** An event instead of one word of the answer. */
  private static Play amid(String event) {
    return turn -> turn.begin().event(event).rest();
  }

  private static List<ProviderFault> otherBrokenEvents() {
    return List.of(
        ProviderFault.of(
                "g05",
                "an event that is cut off, ahead of content",
                turn -> turn.send(Sse.HEAD + Sse.role()).event(HALF).rest())
            .elsewhere()
            .by("first malformed", "second ok"),
        ProviderFault.of(
                "g06",
                "events that are none, behind the finish",
                turn ->
                    turn.begin()
                        .finish()
                        .event(HALF)
                        .event("[1]")
                        .send(Sse.usage(20, 29) + Sse.DONE + Sse.END))
            .and(seen -> seen.log().at("/attempts/0/dropped_events").asInt() == 2),
        broken("g07", "choices are null", "{\"id\":\"c-1\",\"choices\":null}"),
        broken("g08", "a delta is a text", "{\"choices\":[{\"index\":0,\"delta\":\" half\"}]}"),
        broken("g09", "the root is an array", "[\" half\"]"),
        broken("g10", "a choice is a text", "{\"choices\":[\" half\"]}"),
        broken(
            "g11",
            "two first choices",
            "{\"choices\":[{\"delta\":{\"content\":\" a\"}},{\"delta\":{\"content\":\" b\"}}]}"));
  }

  private static List<ProviderFault> ambiguous() {
    String one = "{\"index\":0,\"delta\":{\"content\":\" one\"},\"finish_reason\":null}";
    String twice =
        "{\"id\":\"c-1\",\"choices\":[%s],\"choices\":[%s]}"
            .formatted(one, one.replace("one", "two"));
    String call =
        """
        {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,\
        "delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"f",\
        "arguments":"{\\"to\\":\\"a"}}]},"finish_reason":null}]}\
        """;
    return List.of(
        broken("g24", "choices twice", twice),
        ProviderFault.of("g25", "choices twice, resumed", amid(twice))
            .elsewhere()
            .resumed()
            .by("first interrupted", "second ok by replay"),
        broken("g26", "a finish reason of 0", chunk(" one", "").replace("null", "0")),
        broken("g27", "an index of -1", chunk(" one", "").replace("\"index\":0", "\"index\":-1")),
        ProviderFault.of(
                "g28",
                "arguments of a tool that are cut off ahead of the terminator",
                turn -> turn.send(Sse.HEAD + Sse.role()).event(call).send(Sse.DONE + Sse.END))
            .set("type", "openai") // its text is not the usual answer
            .breaks("stream_interrupted")
            .by("first interrupted"));
  }

  private static List<ProviderFault> recovered() {
    String call =
        """
        {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,\
        "delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"f",\
        "arguments":"{\\"a\\":\\"ÿ\\"}"}}]},"finish_reason":null}]}\
        """;
    return List.of(
        ProviderFault.of("g12", "a delta is a text, resumed", amid("{\"choices\":[{\"delta\":7}]}"))
            .elsewhere()
            .resumed()
            .by("first interrupted", "second ok by replay"),
        ProviderFault.of(
                "g13",
                "a choice of index 1",
                turn ->
                    turn.begin()
                        .event(chunk(" other", "").replace("\"index\":0", "\"index\":1"))
                        .send(Sse.text(word(BEFORE)))
                        .rest())
            .and(seen -> seen.log().at("/attempts/0/dropped_events").asInt() == 1),
        ProviderFault.of(
                "g14",
                "the connection ends within an event",
                turn -> turn.untilClose(BEFORE, false, "data: " + HALF))
            .breaks("provider_disconnect")
            .by("first disconnected"),
        ProviderFault.of(
            "g15",
            "the last event has no blank line",
            turn -> turn.untilClose(29, true, "data: [DONE]")),
        ProviderFault.of(
                "g16",
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

  private static List<ProviderFault> anthropic() {
    String start = AnthropicWire.start(20);
    String stop = AnthropicWire.stop("end_turn", 29);
    String block = AnthropicWire.text(0, "one", " two", " three");
    return List.of(
        events(
                "g17",
                "Anthropic: NaN",
                "anthropic",
                start + block.replaceFirst("\"index\":0", "\"index\":0,\"x\":NaN") + stop)
            .says("one two three"),
        events(
                "g18",
                "Anthropic: an event that is cut off",
                "anthropic",
                start + block.replace(" two\"}}", " two") + stop)
            .breaks("stream_interrupted")
            .by("first interrupted"),
        events(
                "g19",
                "Anthropic: a delta is a text",
                "anthropic",
                start + block.replaceFirst("\"delta\":\\{[^}]*}", "\"delta\":\"one\"") + stop)
            .elsewhere()
            .by("first malformed", "second ok"));
  }

  private static List<ProviderFault> others() {
    String gemini =
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"%s\"}],\"role\":\"model\"}%s}]}\r\n\r\n";
    String finished = ",\"finishReason\":\"STOP\"";
    String line =
        "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},\"done\":%s}\n";
    return List.of(
        events(
                "g20",
                "Gemini: NaN",
                "gemini",
                gemini.formatted("one", ",\"avgLogprobs\":NaN")
                    + gemini.formatted(" two", finished))
            .says("one two"),
        events(
                "g21",
                "Gemini: a part is a text",
                "gemini",
                gemini.formatted("one", "")
                    + gemini.formatted(" two", "").replace("{\"text\":\" two\"}", "\" two\"")
                    + gemini.formatted(" three", finished))
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of(
                "g22",
                "Ollama: a line that is cut off",
                lines(
                    line.formatted("one", false)
                        + "{\"message\":{\"content\":\" tw\n"
                        + line.formatted(" three", true)))
            .set("type", "ollama")
            .breaks("stream_interrupted")
            .by("first interrupted"),
        ProviderFault.of(
                "g23",
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

package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.testkit.ScriptedConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * One request at a provider whose replies follow a script: what it sends is a part of one answer of
 * 29 words, or a fault.
 *
 * @param number requests for the same row before this one
 */
record ScriptedTurn(int number, JsonNode request, ScriptedConnection to, CountDownLatch testEnded) {
  private static final List<String> WORDS =
      IntStream.range(0, 29)
          .mapToObj(i -> (i == 0 ? "" : " ") + List.of("town", "größer", "四季", "🙂").get(i % 4) + i)
          .toList();

  static final String ANSWER = String.join("", WORDS);

  /** Words before the fault amid an answer. */
  static final int BEFORE = 12;

  private static final String CLOSE_DELIMITED =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

  /** Behaviour of a provider on a request. */
  @FunctionalInterface
  interface Play {
    void answer(ScriptedTurn turn) throws Exception;
  }

  static String word(int n) {
    return WORDS.get(n);
  }

  // Parts of the answer, framed as HTTP chunks

  private static String words(int from, int end) {
    StringBuilder events = new StringBuilder();
    WORDS.subList(from, end).forEach(word -> events.append(Sse.text(word)));
    return events.toString();
  }

  private static String ending() {
    return Sse.finish() + Sse.usage(20, WORDS.size()) + Sse.DONE;
  }

  static String wholeStream() {
    return Sse.HEAD + Sse.role() + words(0, WORDS.size()) + ending() + Sse.END;
  }

  /** Sends the whole answer at once, as a stream or plain. */
  void whole() {
    to.send(request.path("stream").asBoolean() ? wholeStream() : Sse.completion(ANSWER));
  }

  /** Sends the head and the answer up to the fault. */
  ScriptedTurn begin() {
    to.send(Sse.HEAD + Sse.role() + words(0, BEFORE));
    return this;
  }

  /** Sends the rest of the answer behind the word that the fault replaced, and the end. */
  void rest() {
    to.send(words(BEFORE + 1, WORDS.size()) + ending() + Sse.END);
  }

  /** Sends the words of the answer that are left, and the finish. */
  ScriptedTurn finish() {
    to.send(words(BEFORE, WORDS.size()) + Sse.finish());
    return this;
  }

  ScriptedTurn send(String bytes) {
    to.send(bytes);
    return this;
  }

  /** Sends one event, whose data are given as UTF-8. */
  ScriptedTurn event(String data) {
    to.send(Sse.raw("data: " + data + "\n\n"));
    return this;
  }

  /** Sends one event, with {@code ÿ} as the byte 0xFF. */
  ScriptedTurn eventWithInvalidByte(String data) {
    byte[] bytes = ("data: " + data + "\n\n").getBytes(UTF_8);
    byte[] latin =
        new String(bytes, ISO_8859_1).replace("\u00c3\u00bf", "\u00ff").getBytes(ISO_8859_1);
    to.send(Integer.toHexString(latin.length) + "\r\n").send(latin).send("\r\n");
    return this;
  }

  /** Data of an event with this content, and these members beside the delta. */
  static String chunk(String content, String more) {
    return """
    {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m",\
    "choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":null%s}]}\
    """
        .formatted(content, more);
  }

  /** The answer without framing: its end is the end of the connection. */
  void untilClose(int words, boolean finished, String done) {
    StringBuilder body = new StringBuilder(CLOSE_DELIMITED);
    for (int n = 0; n < words; n++) {
      body.append("data: ").append(chunk(word(n), "")).append("\n\n");
    }
    if (finished) {
      body.append("data: ").append(chunk("", "").replace("reason\":null", "reason\":\"stop\""));
      body.append("\n\n");
    }
    to.send(body + done).close();
  }

  /** Sends a reply with a body of JSON. */
  void reply(int status, String body, String... headers) {
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Scripted\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    head.append("Content-Type: application/json\r\nContent-Length: ").append(body.length());
    to.send(head + "\r\n\r\n" + body);
  }

  /** Refuses with an error in OpenAI's format. */
  void refuse(int status, String code, String... headers) {
    reply(status, error(code), headers);
  }

  static String error(String code) {
    return "{\"error\":{\"message\":\"refused by the script\",\"type\":\"%s\",\"param\":null,\"code\":\"%s\"}}"
        .formatted(code, code);
  }

  boolean isPrefilled() {
    JsonNode messages = request.path("messages");
    return messages.path(messages.size() - 1).path("role").asText().equals("assistant");
  }

  /** Waits for this time; the end of the test ends it. */
  ScriptedTurn pause(Duration time) throws InterruptedException {
    var _ = testEnded.await(time.toNanos(), TimeUnit.NANOSECONDS);
    return this;
  }
}

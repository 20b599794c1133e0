package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Parts of a provider's reply, sent one by one. */
final class Sse {
  static final String HEAD =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  static final String DONE = chunk("data: [DONE]\n\n");
  static final String END = "0\r\n\r\n";

  private Sse() {}

  static String role() {
    return event("{\"role\":\"assistant\",\"content\":\"\"}", "null");
  }

  static String text(String text) {
    return event("{\"content\":\"" + text + "\"}", "null");
  }

  static String finish() {
    return event("{}", "\"stop\"");
  }

  static String usage(int prompt, int completion) {
    return chunk(
        """
        data: {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],\
        "usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}

        """
            .formatted(prompt, completion, prompt + completion));
  }

  /** Returns a chunk with these bytes of a stream as they are. */
  static String raw(String text) {
    return chunk(text);
  }

  /** Returns a plain reply with this text. */
  static String completion(String text) {
    String body =
        """
        {"id":"c-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,\
        "message":{"role":"assistant","content":"%s"},"finish_reason":"stop"}],\
        "usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}}\
        """
            .formatted(text);
    return """
    HTTP/1.1 200 OK\r
    Content-Type: application/json\r
    Content-Length: %d\r
    \r
    %s\
    """
        .formatted(body.getBytes(UTF_8).length, body);
  }

  private static String event(String delta, String finish) {
    return chunk(
        """
        data: {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m",\
        "choices":[{"index":0,"delta":%s,"finish_reason":%s}]}

        """
            .formatted(delta, finish));
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.getBytes(UTF_8).length) + "\r\n" + text + "\r\n";
  }
}

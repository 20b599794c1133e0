package dev.tollgate.core.testkit;

/** Messages of Anthropic as text. */
public final class AnthropicWire {
  private AnthropicWire() {}

  /** One event, without framing. */
  public static String event(String type, String rest) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + rest + "}\n\n";
  }

  /** Start of a stream with the tokens of its prompt. */
  public static String start(long inputTokens) {
    return event(
        "message_start",
        ",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\","
            + "\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":"
            + inputTokens
            + ",\"output_tokens\":1}}");
  }

  /** A block of text, each piece in an event of its own. */
  public static String text(int index, String... pieces) {
    StringBuilder all =
        new StringBuilder(
            event(
                "content_block_start",
                ",\"index\":" + index + ",\"content_block\":{\"type\":\"text\",\"text\":\"\"}"));
    for (String piece : pieces) {
      all.append(delta(index, "text_delta", "text", piece));
    }
    return all.append(event("content_block_stop", ",\"index\":" + index)).toString();
  }

  /** A call of a tool, its arguments in one event. */
  public static String call(int index, String id, String name, String arguments) {
    return event(
            "content_block_start",
            ",\"index\":"
                + index
                + ",\"content_block\":{\"type\":\"tool_use\",\"id\":\""
                + id
                + "\",\"name\":\""
                + name
                + "\",\"input\":{}}")
        + delta(index, "input_json_delta", "partial_json", arguments)
        + event("content_block_stop", ",\"index\":" + index);
  }

  /** A piece of a block. */
  public static String delta(int index, String type, String member, String text) {
    return event(
        "content_block_delta",
        ",\"index\":"
            + index
            + ",\"delta\":{\"type\":\""
            + type
            + "\",\""
            + member
            + "\":\""
            + text.replace("\"", "\\\"")
            + "\"}");
  }

  /** End of a stream. */
  public static String stop(String reason, long outputTokens) {
    return event(
            "message_delta",
            ",\"delta\":{\"stop_reason\":\""
                + reason
                + "\"},\"usage\":{\"output_tokens\":"
                + outputTokens
                + "}")
        + event("message_stop", "");
  }

  /** Body of an error, also used as the data of an event. */
  public static String errorBody(String type, String message) {
    return "{\"type\":\"error\",\"error\":{\"type\":\""
        + type
        + "\",\"message\":\""
        + message
        + "\"}}";
  }
}

package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.fault.Fault;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Chat request bodies and their results. */
public final class ChatBodies {
  private ChatBodies() {}

  /** Returns a valid body with more members in front of its closing bracket. */
  public static String with(String members) {
    return "{\"model\":\"acme/m1\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]"
        + (members.isEmpty() ? "" : "," + members)
        + "}";
  }

  static ParseResult<ChatRequest> parse(String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return ChatRequest.parse(bytes, bytes.length);
  }

  public static ChatRequest valid(String body) {
    ParseResult<ChatRequest> parsed = parse(body);
    assertThat(parsed).as(body).isInstanceOf(ParseResult.Valid.class);
    return ((ParseResult.Valid<ChatRequest>) parsed).request();
  }

  public static Fault refused(String body) {
    ParseResult<ChatRequest> parsed = parse(body);
    assertThat(parsed).as(body).isInstanceOf(ParseResult.Refused.class);
    return ((ParseResult.Refused<ChatRequest>) parsed).fault();
  }

  /** Returns the params of all issues, in the order in which they are reported. */
  public static List<String> params(Fault fault) {
    return ((List<?>) fault.details().getOrDefault("issues", List.of()))
        .stream().map(issue -> String.valueOf(((Map<?, ?>) issue).get("param"))).toList();
  }

  /** Returns the body for a provider. */
  static String upstream(ChatRequest request, boolean streamOptions) {
    ByteBuf all =
        Unpooled.wrappedBuffer(
            request.bodyFor(Samples.route(streamOptions)).toArray(ByteBuf[]::new));
    try {
      return all.toString(StandardCharsets.UTF_8);
    } finally {
      all.release();
    }
  }
}

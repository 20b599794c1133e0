package dev.tollgate.bench;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.tollgate.bench.BenchPlan.Prompt;
import dev.tollgate.bench.BenchPlan.TargetSpec;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** Encoder of the benchmark's chat requests, which have the same bytes each time. */
final class ChatRequestBytes {
  private static final String WORD = "tell me more ";

  private ChatRequestBytes() {}

  static ByteBuf plain(TargetSpec spec, Prompt prompt) {
    return request(spec, body(spec.model(), "", prompt));
  }

  static ByteBuf streamed(TargetSpec spec, Prompt prompt) {
    return request(spec, body(spec.streamModel(), ",\"stream\":true", prompt));
  }

  private static String body(String model, String stream, Prompt prompt) {
    return "{\"model\":\""
        + new String(JsonStringEncoder.getInstance().quoteAsString(model))
        + "\""
        + stream
        + ",\"max_tokens\":"
        + prompt.tokensMax()
        + ",\"messages\":[{\"role\":\"user\",\"content\":\""
        + words(prompt.bytes())
        + "\"}]}";
  }

  private static String words(int bytes) {
    return WORD.repeat(bytes / WORD.length() + 1).substring(0, bytes);
  }

  private static ByteBuf request(TargetSpec spec, String body) {
    Secret key = spec.key();
    String authorization = key == null ? "" : "authorization: Bearer " + key.reveal() + "\r\n";
    StringBuilder fields = new StringBuilder();
    for (Field field : spec.fields()) {
      fields.append(field.name()).append(": ").append(field.value()).append("\r\n");
    }
    String request =
        "POST "
            + spec.url().path()
            + "/chat/completions HTTP/1.1\r\nhost: "
            + spec.url().authority()
            + "\r\n"
            + authorization
            + fields
            + "content-type: application/json\r\ncontent-length: "
            + body.getBytes(StandardCharsets.UTF_8).length
            + "\r\n\r\n"
            + body;
    return Unpooled.unreleasableBuffer(
        Unpooled.wrappedBuffer(request.getBytes(StandardCharsets.UTF_8)));
  }
}

package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Set;

/**
 * What a provider is sent: the request as it was accepted, for the model as the provider calls it,
 * without what concerns us alone.
 */
final class SubmissionBody {
  /** What is not for a provider; of images only their place in the request is kept so far. */
  private static final Set<String> OURS =
      Set.of(
          "kind",
          "model",
          "routing",
          "provider",
          "webhook_url",
          "metadata",
          "max_cost_micro",
          "image_url",
          "end_image_url",
          "input_images");

  private static final String LENGTH = "duration_seconds";

  private SubmissionBody() {}

  static byte[] of(MediaTarget target, ClaimedJob job) {
    byte[] params = job.params().getBytes(UTF_8);
    ByteBuf buffer = Unpooled.buffer(params.length + 128);
    JsonOut out = new JsonOut(buffer).beginObject();
    out.name("kind").string(job.kind().wire());
    out.name("model").string(target.model());
    boolean isLong = false;
    try {
      JsonMembers members = JsonMembers.of(params, 0, params.length);
      for (int i = 0; i < members.size(); i++) {
        String name = members.name(i);
        isLong |= name.equals(LENGTH);
        if (!OURS.contains(name)) {
          out.name(name);
          out.raw(JsonBytes.of(members, i));
        }
      }
    } catch (InvalidJson e) {
      throw new IllegalStateException("parameters that were accepted are not JSON", e);
    }
    if (!isLong && target.usualLength().isPresent()) {
      out.name(LENGTH).value(target.usualLength().get().toMillis() / 1_000.0);
    }
    out.endObject();
    byte[] body = new byte[buffer.readableBytes()];
    buffer.readBytes(body);
    return body;
  }
}

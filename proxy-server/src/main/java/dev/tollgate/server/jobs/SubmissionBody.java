package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.dialect.PricedOption;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.SignedUrl;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Encoder of the body of a job submission to a provider: the client's request with the provider's
 * model name, without the members that only the gateway uses.
 */
final class SubmissionBody {
  /** Members that only the gateway uses. */
  private static final Set<String> OURS =
      Set.of("kind", "model", "routing", "provider", "webhook_url", "metadata", "max_cost_micro");

  /** Single pictures in the order in which they are stored. */
  private static final List<String> PICTURES = List.of("image_url", "end_image_url");

  /**
   * Images sent in base64 or fetched are in the gateway's storage; the request only has their
   * positions.
   */
  private static final String IMAGES = "input_images";

  private static final String HTTPS = "https://";

  private static final String LENGTH = "duration_seconds";

  private SubmissionBody() {}

  /**
   * @param addresses returns the URL of a blob in the gateway's storage
   */
  static byte[] of(MediaTarget target, ClaimedJob job, Function<BlobName, SignedUrl> addresses) {
    byte[] params = job.params().getBytes(UTF_8);
    ByteBuf buffer = Unpooled.buffer(params.length + 128);
    JsonWriter out = new JsonWriter(buffer).beginObject();
    out.name("kind").string(job.kind().wire());
    out.name("model").string(target.model());
    boolean isLong = false;
    try {
      JsonMembers members = JsonMembers.of(params, 0, params.length);
      Map<String, BlobName> pictures = pictures(members, job.images());
      List<String> dropped = target.pricedOptions() ? List.of() : PricedOption.ofJob(members);
      for (int i = 0; i < members.size(); i++) {
        String name = members.name(i);
        isLong |= name.equals(LENGTH);
        if (name.equals(IMAGES) && members.kind(i) == JsonKind.ARRAY) {
          images(members.array(i), job.images(), addresses, out);
        } else if (isStored(members, i)) {
          BlobName picture = pictures.get(name);
          if (picture != null) {
            out.name(name).string(addresses.apply(picture).url());
          }
        } else if (!OURS.contains(name) && !dropped.contains(name)) {
          out.name(name);
          out.raw(JsonBytes.of(members, i));
        }
      }
    } catch (InvalidJson e) {
      throw new IllegalStateException("accepted parameters are not JSON", e);
    }
    if (!isLong && target.usualLength().isPresent()) {
      out.name(LENGTH).value(target.usualLength().get().toMillis() / 1_000.0);
    }
    out.endObject();
    byte[] body = new byte[buffer.readableBytes()];
    buffer.readBytes(body);
    return body;
  }

  /** Returns the single pictures that were fetched: they are stored behind the list of images. */
  private static Map<String, BlobName> pictures(JsonMembers members, List<BlobName> stored) {
    Map<String, BlobName> pictures = new HashMap<>();
    int next = stored.size();
    for (String name : PICTURES.reversed()) {
      int i = members.indexOf(name);
      if (i >= 0 && isStored(members, i) && next > 0) {
        next--;
        pictures.put(name, stored.get(next));
      }
    }
    return pictures;
  }

  /** True for a single picture that was fetched. */
  private static boolean isStored(JsonMembers members, int i) {
    return PICTURES.contains(members.name(i))
        && members.kind(i) == JsonKind.STRING
        && !isUrl(members.string(i));
  }

  private static boolean isUrl(String text) {
    return text.regionMatches(true, 0, HTTPS, 0, HTTPS.length());
  }

  private static void images(
      JsonElements images,
      List<BlobName> stored,
      Function<BlobName, SignedUrl> addresses,
      JsonWriter out) {
    Iterator<BlobName> next = stored.iterator();
    out.name(IMAGES).beginArray();
    for (int k = 0; k < images.size(); k++) {
      String image = images.string(k);
      if (isUrl(image)) {
        out.string(image);
      } else if (next.hasNext()) {
        out.string(addresses.apply(next.next()).url());
      }
    }
    out.endArray();
  }
}

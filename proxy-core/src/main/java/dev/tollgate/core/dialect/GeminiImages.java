package dev.tollgate.core.dialect;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonOut;
import dev.tollgate.core.json.Param;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;

/** Images as Gemini's generateContent: words and images are parts, and so is what is made. */
final class GeminiImages implements ImageTranslation {
  private static final int BYTES_AROUND = 1_024;
  private static final List<int[]> RATIOS =
      List.of(
          new int[] {1, 1},
          new int[] {2, 3},
          new int[] {3, 2},
          new int[] {3, 4},
          new int[] {4, 3},
          new int[] {4, 5},
          new int[] {5, 4},
          new int[] {9, 16},
          new int[] {16, 9},
          new int[] {21, 9});

  @Override
  public TranslatedChat request(JsonMembers canonical) {
    var dropped = new Dropped();
    ByteBuf body = Unpooled.buffer(canonical.objectEnd() - canonical.objectStart() + BYTES_AROUND);
    JsonOut out = new JsonOut(body).beginObject();
    out.name("contents").beginArray().beginObject().name("role").string("user");
    out.name("parts").beginArray();
    int prompt = Given.at(canonical, "prompt");
    out.beginObject().name("text").raw(JsonBytes.of(canonical, prompt)).endObject();
    sources(canonical, dropped, out);
    out.endArray().endObject().endArray();
    out.name("generationConfig").beginObject();
    out.name("responseModalities").beginArray().string("IMAGE").endArray();
    size(canonical).ifPresent(ratio -> ratio(ratio, out));
    out.endObject().endObject();
    rest(canonical, dropped);
    return new TranslatedChat(body, dropped.paths());
  }

  private static void sources(JsonMembers canonical, Dropped dropped, JsonOut out) {
    int i = Given.at(canonical, "input_images", JsonKind.ARRAY);
    if (i < 0) {
      return;
    }
    JsonElements images = canonical.array(i);
    for (int k = 0; k < images.size(); k++) {
      Optional<DataUri> data = DataUri.of(images, k);
      if (data.isPresent()) {
        out.beginObject().name("inlineData").beginObject();
        out.name("mimeType").string(data.get().mediaType());
        out.name("data").stringBehind(images, k, data.get().headBytes()).endObject().endObject();
      } else {
        dropped.add(Param.of("input_images").at(k));
      }
    }
  }

  /** Gemini is told a ratio: of those that it has the nearest. */
  private static Optional<int[]> size(JsonMembers canonical) {
    int i = Given.text(canonical, "size");
    if (i < 0) {
      return Optional.empty();
    }
    String[] sides = canonical.string(i).split("x", 2);
    double wanted = Math.log(Double.parseDouble(sides[0]) / Double.parseDouble(sides[1]));
    return RATIOS.stream()
        .min((one, other) -> Double.compare(distance(one, wanted), distance(other, wanted)));
  }

  private static double distance(int[] ratio, double wanted) {
    return Math.abs(Math.log((double) ratio[0] / ratio[1]) - wanted);
  }

  private static void ratio(int[] ratio, JsonOut out) {
    out.name("imageConfig").beginObject();
    out.name("aspectRatio").string(ratio[0] + ":" + ratio[1]).endObject();
  }

  private static void rest(JsonMembers canonical, Dropped dropped) {
    for (int i = 0; i < canonical.size(); i++) {
      switch (canonical.name(i)) {
        case "model", "prompt", "n", "size", "input_images", "response_format", "stream" -> {}
        case "routing", "provider" -> {}
        default -> {
          if (canonical.kind(i) != JsonKind.NULL) {
            dropped.add(canonical.name(i));
          }
        }
      }
    }
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    try {
      JsonMembers root = JsonMembers.of(body, 0, length);
      if (Given.at(root, "candidates") >= 0 || Given.at(root, "promptFeedback") >= 0) {
        ByteBuf out = Unpooled.buffer(length + BYTES_AROUND);
        write(root, new JsonOut(out));
        return new TranslatedReply(out.array(), out.writerIndex());
      }
    } catch (InvalidJson e) {
      // Whoever reads it says so.
    }
    return new TranslatedReply(body, length);
  }

  /** A reply without an image says why there is none. */
  private static void write(JsonMembers root, JsonOut out) {
    out.beginObject().name("data").beginArray();
    String reason = reasonOf(root, "promptFeedback", "blockReason");
    int i = Given.at(root, "candidates", JsonKind.ARRAY);
    JsonElements candidates = i < 0 ? null : root.array(i);
    for (int k = 0; candidates != null && k < candidates.size(); k++) {
      if (candidates.kind(k) == JsonKind.OBJECT) {
        JsonMembers candidate = candidates.object(k);
        int finish = Given.at(candidate, "finishReason");
        reason = finish < 0 ? reason : GeminiFinish.own(candidate, finish);
        images(candidate, out);
      }
    }
    out.endArray();
    if (!reason.isEmpty()) {
      out.name("finish_reason").string(GeminiFinish.canonical(reason, 0));
      out.name("native_finish_reason").string(reason);
    }
    var usage = new GeminiTally(root);
    usage.take();
    usage.writeTo(out);
    out.endObject();
  }

  private static String reasonOf(JsonMembers root, String object, String name) {
    int i = Given.at(root, object, JsonKind.OBJECT);
    int at = i < 0 ? -1 : Given.text(root.object(i), name);
    return at < 0 ? "" : root.object(i).string(at);
  }

  private static void images(JsonMembers candidate, JsonOut out) {
    int content = Given.at(candidate, "content", JsonKind.OBJECT);
    int parts = content < 0 ? -1 : Given.at(candidate.object(content), "parts", JsonKind.ARRAY);
    if (parts < 0) {
      return;
    }
    JsonElements all = candidate.object(content).array(parts);
    for (int k = 0; k < all.size(); k++) {
      if (all.kind(k) == JsonKind.OBJECT) {
        image(all.object(k), out);
      }
    }
  }

  /** A draft that it only thought of is none. */
  private static void image(JsonMembers part, JsonOut out) {
    int i = Given.at(part, "inlineData", JsonKind.OBJECT);
    int data = i < 0 ? -1 : Given.text(part.object(i), "data");
    boolean isDraft = Given.at(part, "thought", JsonKind.TRUE) >= 0;
    if (data >= 0 && !isDraft) {
      out.beginObject().name("b64_json").raw(JsonBytes.of(part.object(i), data)).endObject();
    }
  }
}

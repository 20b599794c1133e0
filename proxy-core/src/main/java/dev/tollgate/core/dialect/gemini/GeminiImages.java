package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.ImageTranslation;
import dev.tollgate.core.dialect.InputImage;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/**
 * Translates image requests and replies between OpenAI's format and Gemini's generateContent API.
 * Text and images are parts, both of the request and of the reply.
 */
final class GeminiImages implements ImageTranslation {
  private static final int BYTES_AROUND = 1_024;
  private static final List<String> RATIOS =
      List.of("1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9");

  @Override
  public TranslatedRequest request(JsonMembers canonical, List<? extends InputImage> sources) {
    int sourceBytes = sources.stream().mapToInt(InputImage::sizeBytes).sum();
    int prompt = JsonReads.find(canonical, "prompt");
    int promptBytes = canonical.valueEnd(prompt) - canonical.valueStart(prompt);
    ByteBuf body = Unpooled.buffer(promptBytes + sourceBytes + BYTES_AROUND);
    JsonWriter out = new JsonWriter(body).beginObject();
    out.name("contents").beginArray().beginObject().name("role").string("user");
    out.name("parts").beginArray();
    out.beginObject().name("text").raw(JsonBytes.of(canonical, prompt)).endObject();
    for (InputImage image : sources) {
      out.beginObject().name("inlineData").beginObject();
      out.name("mimeType").string(image.mediaType()).name("data");
      image.writeTo(body);
      out.endObject().endObject();
    }
    out.endArray().endObject().endArray();
    out.name("generationConfig").beginObject();
    out.name("responseModalities").beginArray().string("IMAGE").endArray();
    ratio(canonical, out);
    out.endObject().endObject();
    return new TranslatedRequest(body, unsupported(canonical));
  }

  /** Writes the aspect ratio that is nearest to the size. */
  private static void ratio(JsonMembers canonical, JsonWriter out) {
    int i = JsonReads.findText(canonical, "size");
    if (i >= 0) {
      out.name("imageConfig").beginObject().name("aspectRatio");
      out.string(AspectRatio.nearest(canonical.string(i), RATIOS)).endObject();
    }
  }

  @Override
  public List<String> unsupported(JsonMembers canonical) {
    var dropped = new DroppedFields();
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
    return dropped.paths();
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          if (JsonReads.find(root, "candidates") >= 0
              || JsonReads.find(root, "promptFeedback") >= 0) {
            write(root, out);
          }
        });
  }

  /** Writes the images; a reply without one contains the reason. */
  private static void write(JsonMembers root, JsonWriter out) {
    out.beginObject().name("data").beginArray();
    JsonMembers feedback = JsonReads.object(root, "promptFeedback");
    int block = JsonReads.findText(feedback, "blockReason");
    String reason = block < 0 ? "" : feedback.string(block);
    JsonElements candidates = JsonReads.array(root, "candidates");
    for (int k = 0; k < candidates.size(); k++) {
      JsonMembers candidate = JsonReads.object(candidates, k);
      int finish = JsonReads.find(candidate, "finishReason");
      reason = finish < 0 ? reason : GeminiFinish.own(candidate, finish);
      images(candidate, out);
    }
    out.endArray();
    if (!reason.isEmpty()) {
      out.name("finish_reason").string(GeminiFinish.canonical(reason, 0));
      out.name("native_finish_reason").string(reason);
    }
    var usage = new GeminiReportedUsage(root);
    usage.readUsage();
    usage.writeTo(out);
    out.endObject();
  }

  private static void images(JsonMembers candidate, JsonWriter out) {
    JsonElements all = JsonReads.array(JsonReads.object(candidate, "content"), "parts");
    for (int k = 0; k < all.size(); k++) {
      image(JsonReads.object(all, k), out);
    }
  }

  /** Writes an image, unless it is a draft within the reasoning. */
  private static void image(JsonMembers part, JsonWriter out) {
    JsonMembers inline = JsonReads.object(part, "inlineData");
    int data = JsonReads.findText(inline, "data");
    boolean isDraft = JsonReads.find(part, "thought", JsonKind.TRUE) >= 0;
    if (data >= 0 && !isDraft) {
      out.beginObject().name("b64_json").raw(JsonBytes.of(inline, data)).endObject();
    }
  }
}

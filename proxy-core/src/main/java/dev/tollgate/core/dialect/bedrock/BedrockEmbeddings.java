package dev.tollgate.core.dialect.bedrock;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;

/**
 * Translates embedding requests and replies between OpenAI's format and Amazon's Titan models,
 * which take one text per request.
 */
final class BedrockEmbeddings implements EmbeddingTranslation {
  /** A model with one length of embeddings, which refuses a parameter for it. */
  private static final String FIRST_VERSION = "titan-embed-text-v1";

  @Override
  public int textsMax() {
    return 1;
  }

  @Override
  public TranslatedRequest request(JsonMembers canonical, Route route) {
    return TranslatedRequest.of(
        (out, dropped) -> {
          input(canonical, out);
          for (int i = 0; i < canonical.size(); i++) {
            rest(canonical, i, route.upstreamModel(), out, dropped);
          }
        });
  }

  private static void input(JsonMembers canonical, JsonWriter out) {
    int i = JsonReads.find(canonical, "input");
    if (i < 0) {
      return;
    }
    out.name("inputText"); // the router sends requests with more texts to other providers
    JsonElements texts = canonical.kind(i) == JsonKind.ARRAY ? canonical.array(i) : null;
    boolean single = texts != null && texts.size() == 1 && texts.kind(0) == JsonKind.STRING;
    out.raw(texts != null && single ? JsonBytes.of(texts, 0) : JsonBytes.of(canonical, i));
  }

  private static void rest(
      JsonMembers canonical, int i, String model, JsonWriter out, DroppedFields dropped) {
    switch (canonical.name(i)) {
      case "model", "input", "encoding_format", "routing", "provider" -> {}
      case "dimensions", "normalize" -> {
        if (canonical.kind(i) != JsonKind.NULL) {
          if (model.contains(FIRST_VERSION)) {
            dropped.add(canonical.name(i));
          } else {
            out.name(canonical.name(i)).raw(JsonBytes.normalized(canonical, i));
          }
        }
      }
      default -> {
        if (canonical.kind(i) != JsonKind.NULL) {
          dropped.add(canonical.name(i));
        }
      }
    }
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          int i = JsonReads.find(root, "embedding", JsonKind.ARRAY);
          if (i >= 0) {
            write(root, i, out);
          }
        });
  }

  private static void write(JsonMembers root, int embedding, JsonWriter out) {
    out.beginObject().name("object").string("list").name("data").beginArray();
    out.beginObject().name("object").string("embedding").name("index").number(0);
    out.name("embedding").raw(JsonBytes.of(root, embedding)).endObject().endArray();
    int counted = root.indexOf("inputTextTokenCount");
    long tokens = counted < 0 ? -1 : root.integer(counted, -1);
    if (tokens >= 0) {
      out.name("usage").beginObject().name("prompt_tokens").number(tokens);
      out.name("total_tokens").number(tokens).endObject();
    }
    out.endObject();
  }
}

package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.AdaptedChat;
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
 * Translates embedding requests and replies between OpenAI's format and version 2 of Cohere's embed
 * API.
 */
final class CohereEmbeddings implements EmbeddingTranslation {
  private static final int TEXTS_MAX = 96;

  @Override
  public int textsMax() {
    return TEXTS_MAX;
  }

  @Override
  public TranslatedRequest request(JsonMembers canonical, Route route) {
    return TranslatedRequest.of((out, dropped) -> write(canonical, route, dropped, out));
  }

  private static void write(
      JsonMembers canonical, Route route, DroppedFields dropped, JsonWriter out) {
    out.name("model").string(route.upstreamModel());
    texts(canonical, dropped, out);
    int type = JsonReads.findText(canonical, "input_type");
    out.name("input_type")
        .raw(type < 0 ? JsonBytes.string("search_document") : JsonBytes.of(canonical, type));
    boolean base64 = JsonReads.isString(canonical, "encoding_format", "base64");
    out.name("embedding_types").beginArray().string(base64 ? "base64" : "float").endArray();
    for (int i = 0; i < canonical.size(); i++) {
      rest(canonical, i, dropped, out);
    }
  }

  private static void texts(JsonMembers canonical, DroppedFields dropped, JsonWriter out) {
    int input = canonical.indexOf("input");
    out.name("texts");
    if (canonical.kind(input) == JsonKind.STRING) {
      out.beginArray().raw(JsonBytes.of(canonical, input)).endArray();
    } else {
      out.raw(JsonBytes.of(canonical, input));
      if (canonical.array(input).kind(0) != JsonKind.STRING) {
        dropped.add("input"); // token ids of another vocabulary, which Cohere refuses
      }
    }
  }

  private static void rest(JsonMembers canonical, int i, DroppedFields dropped, JsonWriter out) {
    String name = canonical.name(i);
    switch (name) {
      case "model", "input", "input_type", "encoding_format", "routing", "provider" -> {}
      case "dimensions" -> {
        if (canonical.kind(i) != JsonKind.NULL) {
          out.name("output_dimension").raw(JsonBytes.normalized(canonical, i));
        }
      }
      case "truncate", "max_tokens" -> out.name(name).raw(JsonBytes.normalized(canonical, i));
      default -> {
        if (AdaptedChat.hasEffect(canonical, i, name)) {
          dropped.add(name);
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
          int i = JsonReads.find(root, "embeddings", JsonKind.OBJECT);
          if (i >= 0) {
            write(root, root.object(i), out);
          }
        });
  }

  private static void write(JsonMembers root, JsonMembers embeddings, JsonWriter out) {
    int floats = JsonReads.find(embeddings, "float", JsonKind.ARRAY);
    int i = floats < 0 ? JsonReads.find(embeddings, "base64", JsonKind.ARRAY) : floats;
    JsonElements vectors = i < 0 ? new JsonElements() : embeddings.array(i);
    out.beginObject().name("object").string("list").name("data").beginArray();
    for (int k = 0; k < vectors.size(); k++) {
      out.beginObject().name("object").string("embedding").name("index").number(k);
      out.name("embedding").raw(JsonBytes.of(vectors, k)).endObject();
    }
    out.endArray();
    usage(root, out);
    out.endObject();
  }

  private static void usage(JsonMembers root, JsonWriter out) {
    JsonMembers billed = JsonReads.object(JsonReads.object(root, "meta"), "billed_units");
    int tokens = JsonReads.find(billed, "input_tokens", JsonKind.NUMBER);
    if (tokens >= 0) {
      out.name("usage")
          .beginObject()
          .name("prompt_tokens")
          .raw(JsonBytes.normalized(billed, tokens));
      out.name("total_tokens").raw(JsonBytes.normalized(billed, tokens)).endObject();
    }
  }
}

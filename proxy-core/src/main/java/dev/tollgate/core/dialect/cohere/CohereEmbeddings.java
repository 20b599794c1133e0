package dev.tollgate.core.dialect.cohere;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.AdaptedChat;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Requests for vectors as Cohere's embed, version 2, and the vectors as OpenAI lists them. */
final class CohereEmbeddings implements EmbeddingTranslation {
  private static final int TEXTS_MAX = 96;

  @Override
  public int textsMax() {
    return TEXTS_MAX;
  }

  @Override
  public TranslatedRequest request(JsonMembers canonical, Route route) {
    var dropped = new DroppedFields();
    ByteBuf body = Unpooled.buffer(1_024);
    JsonWriter out = new JsonWriter(body);
    out.beginObject().name("model").string(route.upstreamModel());
    texts(canonical, dropped, out);
    int type = JsonReads.findText(canonical, "input_type");
    out.name("input_type")
        .raw(type < 0 ? JsonBytes.string("search_document") : JsonBytes.of(canonical, type));
    boolean base64 = JsonReads.isString(canonical, "encoding_format", "base64");
    out.name("embedding_types").beginArray().string(base64 ? "base64" : "float").endArray();
    for (int i = 0; i < canonical.size(); i++) {
      rest(canonical, i, dropped, out);
    }
    out.endObject();
    return new TranslatedRequest(body, dropped.paths());
  }

  private static void texts(JsonMembers canonical, DroppedFields dropped, JsonWriter out) {
    int input = canonical.indexOf("input");
    out.name("texts");
    if (canonical.kind(input) == JsonKind.STRING) {
      out.beginArray().raw(JsonBytes.of(canonical, input)).endArray();
    } else {
      out.raw(JsonBytes.of(canonical, input));
      if (canonical.array(input).kind(0) != JsonKind.STRING) {
        dropped.add("input"); // tokens of another vocabulary, which it will refuse
      }
    }
  }

  private static void rest(JsonMembers canonical, int i, DroppedFields dropped, JsonWriter out) {
    String name = canonical.name(i);
    switch (name) {
      case "model", "input", "input_type", "encoding_format", "routing", "provider" -> {}
      case "dimensions" -> {
        if (canonical.kind(i) != JsonKind.NULL) {
          out.name("output_dimension").raw(JsonBytes.of(canonical, i));
        }
      }
      case "truncate", "max_tokens" -> out.name(name).raw(JsonBytes.of(canonical, i));
      default -> {
        if (AdaptedChat.hasEffect(canonical, i, name)) {
          dropped.add(name);
        }
      }
    }
  }

  @Override
  public TranslatedReply reply(byte[] body, int length) {
    try {
      JsonMembers root = JsonMembers.of(body, 0, length);
      int i = JsonReads.find(root, "embeddings", JsonKind.OBJECT);
      if (i >= 0) {
        ByteBuf out = Unpooled.buffer(length + 256);
        write(root, root.object(i), new JsonWriter(out));
        return new TranslatedReply(out.array(), out.writerIndex());
      }
    } catch (InvalidJson e) {
      // Whoever reads it says so.
    }
    return new TranslatedReply(body, length);
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
    int meta = JsonReads.find(root, "meta", JsonKind.OBJECT);
    JsonMembers metaObject = meta < 0 ? new JsonMembers() : root.object(meta);
    int units = JsonReads.find(metaObject, "billed_units", JsonKind.OBJECT);
    JsonMembers billed = units < 0 ? new JsonMembers() : metaObject.object(units);
    int tokens = JsonReads.find(billed, "input_tokens", JsonKind.NUMBER);
    if (tokens >= 0) {
      out.name("usage").beginObject().name("prompt_tokens").raw(JsonBytes.of(billed, tokens));
      out.name("total_tokens").raw(JsonBytes.of(billed, tokens)).endObject();
    }
  }
}

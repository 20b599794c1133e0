package dev.tollgate.core.dialect.gemini;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.EmbeddingTranslation;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;

/**
 * Translates embedding requests and replies between OpenAI's format and Gemini's
 * batchEmbedContents: one inner request per text.
 */
final class GeminiEmbeddings implements EmbeddingTranslation {
  private static final int TEXTS_MAX = 100;

  @Override
  public int textsMax() {
    return TEXTS_MAX;
  }

  @Override
  public TranslatedRequest request(JsonMembers canonical, Route route) {
    return TranslatedRequest.of(
        (out, dropped) -> {
          out.name("requests").beginArray();
          texts(canonical, route, dropped, out);
          out.endArray();
          rest(canonical, dropped);
        });
  }

  private static void texts(
      JsonMembers canonical, Route route, DroppedFields dropped, JsonWriter out) {
    int input = JsonReads.find(canonical, "input");
    if (input >= 0 && canonical.kind(input) == JsonKind.ARRAY) {
      JsonElements texts = canonical.array(input);
      for (int k = 0; k < texts.size(); k++) {
        if (texts.kind(k) == JsonKind.STRING) {
          text(texts, k, canonical, route, out);
        } else {
          dropped.add(Param.of("input").at(k)); // numbers of another model's tokens
        }
      }
    } else if (input >= 0) {
      text(canonical, input, canonical, route, out);
    }
  }

  private static void text(
      JsonItems texts, int k, JsonMembers canonical, Route route, JsonWriter out) {
    out.beginObject().name("model").string("models/" + route.upstreamModel());
    out.name("content").beginObject().name("parts").beginArray();
    out.beginObject().name("text").raw(JsonBytes.of(texts, k)).endObject();
    out.endArray().endObject();
    own(canonical, "dimensions", "outputDimensionality", out);
    own(canonical, "task_type", "taskType", out);
    out.endObject();
  }

  private static void own(JsonMembers canonical, String name, String theirs, JsonWriter out) {
    int i = JsonReads.find(canonical, name);
    if (i >= 0) {
      out.name(theirs).raw(JsonBytes.normalized(canonical, i));
    }
  }

  private static void rest(JsonMembers canonical, DroppedFields dropped) {
    for (int i = 0; i < canonical.size(); i++) {
      switch (canonical.name(i)) {
        case "model",
            "input",
            "dimensions",
            "task_type",
            "encoding_format",
            "routing",
            "provider" -> {}
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
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          int i = JsonReads.find(root, "embeddings", JsonKind.ARRAY);
          if (i >= 0) {
            write(root, root.array(i), out);
          }
        });
  }

  private static void write(JsonMembers root, JsonElements vectors, JsonWriter out) {
    out.beginObject().name("object").string("list").name("data").beginArray();
    for (int k = 0; k < vectors.size(); k++) {
      JsonMembers vector = JsonReads.object(vectors, k);
      int values = JsonReads.find(vector, "values", JsonKind.ARRAY);
      if (values >= 0) {
        out.beginObject().name("object").string("embedding").name("index").number(k);
        out.name("embedding").raw(JsonBytes.of(vector, values)).endObject();
      }
    }
    out.endArray();
    var usage = new GeminiReportedUsage(root);
    usage.readUsage();
    usage.writeTo(out);
    out.endObject();
  }
}

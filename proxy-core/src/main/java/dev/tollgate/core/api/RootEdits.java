package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The edits of a chunk's or a reply's top-level members (docs/decisions/streaming.md#chunks). Used
 * again for every chunk: what it gives is valid until the next call.
 */
public final class RootEdits {
  /** Members that only make chunks longer, so that nobody tells a text by its length. */
  public static final List<String> PADDING = List.of("obfuscation", "p");

  private final JsonMembers root;
  private final ReplyStamp stamp;
  private final JsonSplice edits;

  public RootEdits(JsonMembers root, ReplyStamp stamp) {
    this.root = root;
    this.stamp = stamp;
    this.edits = JsonSplice.of(root);
  }

  /** What a chunk or reply says that it is; put in where the provider says otherwise or nothing. */
  public record Identity(String id, long createdSeconds, String object) implements ResumePoint {
    /** What a whole reply says, where it does. */
    public static Identity of(JsonMembers root, ReplyStamp stamp, String object) {
      int id = root.indexOf("id");
      boolean hasId = id >= 0 && root.kind(id) == JsonKind.STRING && !root.isEmptyString(id);
      int at = root.indexOf("created");
      long created = at < 0 ? 0 : root.integer(at, 0);
      return new Identity(
          hasId ? root.string(id) : stamp.fallbackId(),
          created > 0 ? created : stamp.createdSeconds(),
          object);
    }
  }

  /** A stream's chunk: usage is taken out, padding too. */
  public JsonSplice chunk(Identity identity, int choices, @Nullable JsonSplice choiceEdits) {
    common(identity, choices, choiceEdits);
    deleteAll("usage", 0);
    for (int i = 0; i < PADDING.size(); i++) {
      deleteAll(PADDING.get(i), 0);
    }
    return edits;
  }

  /** A whole reply: usage is replaced by ours. */
  public JsonSplice reply(
      Identity identity, int choices, @Nullable JsonSplice choiceEdits, JsonBytes usage) {
    common(identity, choices, choiceEdits);
    usage(usage);
    return edits;
  }

  /** A whole reply that is a list: the same, but that it has no identity. */
  public JsonSplice list(int data, JsonBytes usage) {
    edits.reset(root);
    deleteAll("data", data + 1);
    ownText("object", "list");
    stampMembers(data);
    usage(usage);
    return edits;
  }

  /** A transcript: the same, but that its object is its text. */
  public JsonSplice transcript(int text, JsonBytes usage) {
    edits.reset(root);
    stampMembers(text);
    usage(usage);
    return edits;
  }

  /** A list of images: who made them, and when, where that is told wrongly or not at all. */
  public JsonSplice images(int data, @Nullable JsonSplice dataEdits, JsonBytes usage) {
    edits.reset(root);
    if (dataEdits != null) {
      edits.replace(data, dataEdits);
    }
    deleteAll("data", data + 1);
    int created = root.indexOf("created");
    boolean isReported = created >= 0 && root.integer(created, 0) > 0;
    own("created", isReported ? null : JsonBytes.number(stamp.createdSeconds()));
    removeReserved();
    int model = root.indexOf("model");
    if (model >= 0) {
      edits.replace(model, stamp.model());
      deleteAll("model", model + 1);
    }
    edits.insertBefore(data, stamp.providerMember());
    usage(usage);
    return edits;
  }

  private void usage(JsonBytes usage) {
    int i = root.indexOf("usage");
    if (i < 0) {
      edits.insertLast("usage", usage);
    } else {
      edits.replace(i, usage);
      deleteAll("usage", i + 1);
    }
  }

  private void common(Identity identity, int choices, @Nullable JsonSplice choiceEdits) {
    edits.reset(root);
    if (choiceEdits != null) {
      edits.replace(choices, choiceEdits);
    }
    deleteAll("choices", choices + 1);
    ownText("id", identity.id());
    ownText("object", identity.object());
    int created = root.indexOf("created");
    boolean isRight = created >= 0 && root.integer(created, 0) == identity.createdSeconds();
    own("created", isRight ? null : JsonBytes.number(identity.createdSeconds()));
    stampMembers(choices);
  }

  /** What no provider says in our place. */
  private void stampMembers(int contentAt) {
    removeReserved();
    model(contentAt);
  }

  private void removeReserved() {
    deleteAll("error", 0);
    deleteAll("provider", 0);
    for (int i = 0; i < root.size(); i++) {
      if (root.isNamePrefix(i, "x_llm_")) {
        edits.delete(i);
      }
    }
  }

  private void model(int contentAt) {
    int model = root.indexOf("model");
    if (model >= 0) {
      edits.replace(model, stamp.model()).insertAfter(model, stamp.providerMember());
      deleteAll("model", model + 1);
    } else {
      edits.insertBefore(contentAt, stamp.modelMember());
      edits.insertBefore(contentAt, stamp.providerMember());
    }
  }

  private void ownText(String name, String text) {
    int i = root.indexOf(name);
    own(name, i >= 0 && root.isString(i, text) ? null : JsonBytes.string(text));
  }

  /**
   * Leaves one member of a name: the first as it is, or with another value, or one of our own in
   * front.
   *
   * @param value null where the first member is right
   */
  private void own(String name, @Nullable JsonBytes value) {
    int i = root.indexOf(name);
    if (value != null) {
      if (i < 0) {
        edits.insertFirst(name, value);
      } else {
        edits.replace(i, value);
      }
    }
    deleteAll(name, i + 1);
  }

  private void deleteAll(String name, int fromIndex) {
    for (int i = root.indexOf(name, fromIndex); i >= 0; i = root.indexOf(name, i + 1)) {
      edits.delete(i);
    }
  }
}

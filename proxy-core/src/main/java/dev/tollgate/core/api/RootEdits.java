package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites the top-level members of a provider's chunk or reply into those that the client gets
 * (docs/decisions/streaming.md#chunks). One instance is reused for every chunk: the result is valid
 * until the next call.
 */
public final class RootEdits {
  /** Names of padding members, which hide the length of a text from observers of the connection. */
  public static final List<String> PADDING = List.of("obfuscation", "p");

  private final JsonMembers root;
  private final ReplyStamp stamp;
  private final JsonSplice edits;

  public RootEdits(JsonMembers root, ReplyStamp stamp) {
    this.root = root;
    this.stamp = stamp;
    this.edits = JsonSplice.of(root);
  }

  /**
   * Identity of a chunk or reply to the client, which is inserted if the provider's differs or is
   * missing.
   */
  public record Identity(String id, long createdSeconds, String object) implements ResumePoint {
    /** Returns the identity of a whole reply, with the stamp's values for missing members. */
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

  /** Returns a stream's chunk without usage and padding. */
  public JsonSplice chunk(Identity identity, int choices, @Nullable JsonSplice choiceEdits) {
    common(identity, choices, choiceEdits);
    deleteAll("usage", 0);
    for (int i = 0; i < PADDING.size(); i++) {
      deleteAll(PADDING.get(i), 0);
    }
    return edits;
  }

  /** Returns a whole reply with the gateway's usage. */
  public JsonSplice reply(
      Identity identity, int choices, @Nullable JsonSplice choiceEdits, JsonBytes usage) {
    common(identity, choices, choiceEdits);
    usage(usage);
    return edits;
  }

  /** Returns a whole reply that is a list, without an identity, with the gateway's usage. */
  public JsonSplice list(int data, JsonBytes usage) {
    edits.reset(root);
    deleteAll("data", data + 1);
    ownText("object", "list");
    stampMembers(data);
    usage(usage);
    return edits;
  }

  /** Returns a transcript, whose object is its text, with the gateway's usage. */
  public JsonSplice transcript(int text, JsonBytes usage) {
    edits.reset(root);
    stampMembers(text);
    usage(usage);
    return edits;
  }

  /** Returns a list of images with model, provider and a valid time of creation. */
  public JsonSplice images(int data, @Nullable JsonSplice dataEdits, JsonBytes usage) {
    edits.reset(root);
    if (dataEdits != null) {
      edits.replace(data, dataEdits);
    }
    deleteAll("data", data + 1);
    int created = root.indexOf("created");
    long reported = created < 0 ? 0 : root.integer(created, 0);
    boolean isRight = reported > 0 && root.writtenInteger(created, 0) == reported;
    long ours = reported > 0 ? reported : stamp.createdSeconds();
    own("created", isRight ? null : JsonBytes.number(ours));
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
    boolean isRight = created >= 0 && root.writtenInteger(created, 0) == identity.createdSeconds();
    own("created", isRight ? null : JsonBytes.number(identity.createdSeconds()));
    stampMembers(choices);
  }

  /** Removes members that only the gateway may set. */
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
   * Keeps one member of a name: the first, with its own or another value, or a new one in front.
   *
   * @param value null if the first member is right
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

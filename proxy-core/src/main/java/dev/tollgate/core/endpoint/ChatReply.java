package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One provider's whole chat completion, read once and written as the client's (SPEC 2.1). */
public final class ChatReply {
  private static final String OBJECT = "chat.completion";
  private static final JsonBytes EMPTY_MESSAGE =
      JsonBytes.raw("{\"role\":\"assistant\",\"content\":null}");

  private final ChatStamp stamp;
  private final JsonMembers root;
  private final int choicesAt;
  private final @Nullable JsonSplice choiceEdits;
  private final long contentBytes;
  private final @Nullable Usage usage;
  private final byte @Nullable [] usageText;

  private ChatReply(ChatStamp stamp, JsonMembers root, int choicesAt, Choices choices) {
    this.stamp = stamp;
    this.root = root;
    this.choicesAt = choicesAt;
    this.choiceEdits = choices.edits();
    this.contentBytes = choices.contentBytes();
    int i = root.indexOf("usage");
    JsonMembers object = i >= 0 && root.kind(i) == JsonKind.OBJECT ? root.object(i) : null;
    this.usage =
        object == null ? null : UsageReader.read(object, stamp.contextLength()).orElse(null);
    this.usageText =
        object == null || usage == null
            ? null
            : Arrays.copyOfRange(object.bytes(), object.objectStart(), object.objectEnd());
  }

  /** What a body was. */
  public sealed interface Read {
    record Fine(ChatReply reply) implements Read {}

    /** An error object inside a 200. */
    record ErrorObject() implements Read {}

    record Malformed(String reason) implements Read {}
  }

  static Read read(ChatStamp stamp, byte[] body, int length) {
    JsonMembers root;
    try {
      root = JsonMembers.of(body, 0, length);
    } catch (InvalidJson e) {
      return new Read.Malformed("the reply is not valid JSON");
    }
    int error = root.indexOf("error");
    if (error >= 0 && root.kind(error) != JsonKind.NULL) {
      return new Read.ErrorObject();
    }
    int choices = root.indexOf("choices");
    if (choices < 0 || root.kind(choices) != JsonKind.ARRAY) {
      return new Read.Malformed("the reply has no choices");
    }
    return Choices.read(root.array(choices))
        .<Read>map(read -> new Read.Fine(new ChatReply(stamp, root, choices, read)))
        .orElseGet(() -> new Read.Malformed("the reply's choices are not of a completion's shape"));
  }

  /** The usage that the provider reported, if it was sound. */
  public Optional<Usage> reportedUsage() {
    return Optional.ofNullable(usage);
  }

  /** Our own count of the output. */
  public long deliveredTokens() {
    return TokenEstimate.delivered(1, contentBytes);
  }

  /** Writes the client's body. */
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    int id = root.indexOf("id");
    boolean hasId = id >= 0 && root.kind(id) == JsonKind.STRING && !root.isEmptyString(id);
    var identity =
        new RootEdits.Identity(
            hasId ? root.string(id) : stamp.fallbackId(), stamp.createdSeconds(), OBJECT);
    new RootEdits(root, stamp, identity)
        .reply(choicesAt, choiceEdits, UsageWriter.json(charged, cost, usageText))
        .writeTo(out);
  }

  /** The choices of a reply: what must be repaired in them, and how much they hold. */
  private record Choices(@Nullable JsonSplice edits, long contentBytes) {
    static Optional<Choices> read(JsonElements elements) {
      if (elements.size() == 0) {
        return Optional.empty();
      }
      JsonSplice edits = null;
      long bytes = 0;
      for (int k = 0; k < elements.size(); k++) {
        if (elements.kind(k) != JsonKind.OBJECT) {
          return Optional.empty();
        }
        JsonMembers choice = elements.object(k);
        bytes += messageBytes(choice);
        JsonSplice edited = repair(choice);
        if (edited != null) {
          edits = edits == null ? JsonSplice.of(elements) : edits;
          edits.replace(k, edited);
        }
      }
      return Optional.of(new Choices(edits, bytes));
    }

    private static long messageBytes(JsonMembers choice) {
      int message = choice.indexOf("message");
      return message < 0 ? 0 : choice.valueEnd(message) - choice.valueStart(message);
    }

    private static @Nullable JsonSplice repair(JsonMembers choice) {
      JsonSplice edits = null;
      if (choice.indexOf("index") < 0) {
        edits = JsonSplice.of(choice).insertFirst("index", JsonBytes.number(0));
      }
      if (choice.indexOf("message") < 0) {
        // Azure leaves the message out where its filter ended the completion.
        edits =
            (edits == null ? JsonSplice.of(choice) : edits).insertLast("message", EMPTY_MESSAGE);
      }
      int finish = choice.indexOf("finish_reason");
      JsonBytes replacement = finish < 0 ? FinishReason.STOP : replacement(choice, finish);
      if (replacement == null) {
        return edits;
      }
      edits = edits == null ? JsonSplice.of(choice) : edits;
      return finish < 0
          ? edits.insertLast("finish_reason", replacement)
          : edits.replace(finish, replacement);
    }

    private static @Nullable JsonBytes replacement(JsonMembers choice, int finish) {
      return choice.kind(finish) == JsonKind.STRING
          ? FinishReason.replacement(choice, finish)
          : FinishReason.STOP;
    }
  }
}

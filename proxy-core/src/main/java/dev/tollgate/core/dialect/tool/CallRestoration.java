package dev.tollgate.core.dialect.tool;

import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ReplyTranslation;
import dev.tollgate.core.dialect.TranslatedReply;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.sse.SseSink;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Restores the client's form of the calls in a canonical reply: the client's names of tools, and
 * its older function calling.
 *
 * @param clientNames the client's names by those that the provider got
 * @param older true if the client expects a call of a function in the older form
 */
public record CallRestoration(Map<String, String> clientNames, boolean older) {
  public static final CallRestoration NONE = new CallRestoration(Map.of(), false);

  private static final JsonBytes FUNCTION_CALL = JsonBytes.string("function_call");

  public CallRestoration {
    clientNames = Map.copyOf(clientNames);
  }

  /** Returns the restoration of what two providers got. */
  public CallRestoration and(CallRestoration other) {
    if (other.isNothing()) {
      return this;
    }
    Map<String, String> all = new HashMap<>(clientNames);
    all.putAll(other.clientNames);
    return new CallRestoration(all, older || other.older);
  }

  private boolean isNothing() {
    return clientNames.isEmpty() && !older;
  }

  /**
   * Returns a translation of replies that restores the calls as well.
   *
   * @param translation of the provider; empty if its replies are canonical
   */
  public Optional<? extends ReplyTranslation> behind(
      Optional<? extends ReplyTranslation> translation) {
    return isNothing() ? translation : Optional.of(new Restoring(this, translation));
  }

  private record Restoring(CallRestoration calls, Optional<? extends ReplyTranslation> translation)
      implements ReplyTranslation {
    @Override
    public SseSink stream(SseSink canonical) {
      SseSink restoring = new CallRestoringStream(calls, canonical);
      return translation.isEmpty() ? restoring : translation.get().stream(restoring);
    }

    @Override
    public TranslatedReply reply(byte[] body, int length) {
      if (translation.isEmpty()) {
        return calls.reply(body, length);
      }
      TranslatedReply canonical = translation.get().reply(body, length);
      return calls.reply(canonical.bytes(), canonical.length());
    }
  }

  private TranslatedReply reply(byte[] body, int length) {
    return TranslatedReply.of(
        body,
        length,
        (root, out) -> {
          JsonSplice edits = edits(root, "message");
          if (edits != null) {
            out.raw(edits);
          }
        });
  }

  /**
   * Returns the edits of a reply or a chunk; null if it has nothing to restore.
   *
   * @param member of a choice that holds the calls
   */
  @Nullable JsonSplice edits(JsonMembers root, String member) {
    int i = JsonReads.find(root, "choices", JsonKind.ARRAY);
    if (i < 0) {
      return null;
    }
    JsonElements choices = root.array(i);
    JsonSplice edits = JsonSplice.of(choices);
    for (int k = 0; k < choices.size(); k++) {
      JsonSplice edited =
          choices.kind(k) == JsonKind.OBJECT ? choice(choices.object(k), member) : null;
      if (edited != null) {
        edits.replace(k, edited);
      }
    }
    return edits.isUnchanged() ? null : JsonSplice.of(root).replace(i, edits);
  }

  private @Nullable JsonSplice choice(JsonMembers choice, String member) {
    JsonSplice edits = JsonSplice.of(choice);
    int i = JsonReads.find(choice, member, JsonKind.OBJECT);
    JsonMembers message = i < 0 ? new JsonMembers() : choice.object(i);
    int calls = JsonReads.find(message, "tool_calls", JsonKind.ARRAY);
    if (calls >= 0) {
      JsonSplice edited = older ? functionCall(message, calls) : named(message, calls);
      if (edited != null) {
        edits.replace(i, edited);
      }
    }
    int finish = JsonReads.find(choice, "finish_reason");
    if (older && finish >= 0 && choice.isString(finish, "tool_calls")) {
      edits.replace(finish, FUNCTION_CALL);
    }
    return edits.isUnchanged() ? null : edits;
  }

  private @Nullable JsonSplice named(JsonMembers message, int list) {
    JsonElements calls = message.array(list);
    JsonSplice edits = JsonSplice.of(calls);
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = JsonReads.object(calls, k);
      int i = JsonReads.find(call, "function", JsonKind.OBJECT);
      JsonSplice edited = i < 0 ? null : named(call.object(i));
      if (edited != null) {
        edits.replace(k, JsonSplice.of(call).replace(i, edited));
      }
    }
    return edits.isUnchanged() ? null : JsonSplice.of(message).replace(list, edits);
  }

  private @Nullable JsonSplice named(JsonMembers function) {
    int i = JsonReads.findText(function, "name");
    String own = i < 0 ? null : clientNames.get(function.string(i));
    return own == null ? null : JsonSplice.of(function).replace(i, JsonBytes.string(own));
  }

  /** Replaces the calls by the first one: an older answer has no others. */
  private JsonSplice functionCall(JsonMembers message, int list) {
    JsonElements calls = message.array(list);
    JsonSplice edits = JsonSplice.of(message).delete(list);
    for (int k = 0; k < calls.size(); k++) {
      JsonMembers call = JsonReads.object(calls, k);
      int index = call.indexOf("index");
      int i = JsonReads.find(call, "function", JsonKind.OBJECT);
      if (i >= 0 && (index < 0 || call.integer(index, 0) == 0)) {
        JsonMembers function = call.object(i);
        JsonSplice edited = named(function);
        edits.insertBefore(
            list, "function_call", edited == null ? JsonSplice.of(function) : edited);
        return edits;
      }
    }
    return edits;
  }
}

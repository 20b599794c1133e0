package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the {@code usage} object in replies to clients: all members of the provider's own
 * object, and the charge.
 */
public final class UsageWriter {
  private static final byte[] NOTHING = {'{', '}'};

  private UsageWriter() {}

  /**
   * Returns the usage object of a reply.
   *
   * @param reported the provider's object as read; empty if it reported none for a reply without
   *     output; null if the usage is an estimate
   */
  public static JsonBytes json(Usage charged, MicroUsd cost, byte @Nullable [] reported) {
    JsonMembers members = JsonMembers.ofKept(reported == null ? NOTHING : reported);
    JsonSplice edits = JsonSplice.of(members);
    for (int i = 0; i < members.size(); i++) {
      if (members.isNamePrefix(i, "x_llm_")) {
        edits.delete(i);
      } else {
        count(members, i, edits);
      }
    }
    if (members.indexOf("prompt_tokens") < 0) {
      edits.insertLast("prompt_tokens", JsonBytes.number(charged.promptTokens()));
    }
    if (reported == null) {
      edits.insertLast("completion_tokens", JsonBytes.number(charged.completionTokens()));
    }
    total(members, charged, edits);
    return charge(edits, charged, cost);
  }

  /**
   * Returns the usage object of images: their number, the provider's own members, and those that
   * OpenAI always has; what was not counted is 0.
   *
   * @param reported null if the provider reported no valid usage
   */
  public static JsonBytes images(
      Usage charged, MicroUsd cost, long made, byte @Nullable [] reported) {
    JsonMembers members = JsonMembers.ofKept(reported == null ? NOTHING : reported);
    JsonSplice edits = JsonSplice.of(members);
    int details = members.indexOf("input_tokens_details");
    for (int i = 0; i < members.size(); i++) {
      if (members.isNamePrefix(i, "x_llm_") || members.isName(i, "images")) {
        edits.delete(i);
      } else if (i != details) {
        count(members, i, edits);
      }
    }
    required(members, "input_tokens", charged.promptTokens(), edits);
    required(members, "output_tokens", charged.completionTokens(), edits);
    required(members, "total_tokens", charged.totalTokens(), edits);
    inputDetails(members, details, charged, edits);
    edits.insertLast("images", JsonBytes.number(made));
    return charge(edits, charged, cost);
  }

  /** Writes the kinds of the input's tokens; all are of text if the provider does not tell. */
  private static void inputDetails(JsonMembers members, int at, Usage charged, JsonSplice edits) {
    if (at >= 0 && members.kind(at) == JsonKind.OBJECT) {
      JsonMembers details = members.object(at);
      JsonSplice inside = counts(details);
      required(details, "text_tokens", 0, inside);
      required(details, "image_tokens", 0, inside);
      edits.replace(at, inside);
      return;
    }
    int input = members.indexOf("input_tokens");
    long reported = input < 0 ? -1 : members.integer(input, -1);
    long text = reported < 0 ? charged.promptTokens() : reported;
    JsonBytes whole = JsonBytes.raw("{\"text_tokens\":" + text + ",\"image_tokens\":0}");
    if (at < 0) {
      edits.insertLast("input_tokens_details", whole);
    } else {
      edits.replace(at, whole);
    }
  }

  /** Writes a count that the provider does not report. */
  private static void required(JsonMembers members, String name, long count, JsonSplice edits) {
    int i = members.indexOf(name);
    if (i < 0) {
      edits.insertLast(name, JsonBytes.number(count));
    } else if (members.integer(i, -1) < 0) {
      edits.replace(i, JsonBytes.number(count));
    }
  }

  /** Replaces counts such as {@code 16.0} by integers, also those in an object of details. */
  private static void count(JsonMembers members, int i, JsonSplice edits) {
    switch (members.kind(i)) {
      case NUMBER -> edits.replace(i, JsonBytes.normalized(members, i));
      case OBJECT -> edits.replace(i, counts(members.object(i)));
      case STRING, TRUE, FALSE, NULL, ARRAY -> {}
    }
  }

  private static JsonSplice counts(JsonMembers details) {
    JsonSplice inside = JsonSplice.of(details);
    for (int k = 0; k < details.size(); k++) {
      if (details.kind(k) == JsonKind.NUMBER) {
        inside.replace(k, JsonBytes.normalized(details, k));
      }
    }
    return inside;
  }

  private static JsonBytes charge(JsonSplice edits, Usage charged, MicroUsd cost) {
    edits.insertLast("x_llm_cost_micro", JsonBytes.number(cost.value()));
    if (charged.estimated()) {
      edits.insertLast("x_llm_usage_estimated", JsonBytes.TRUE);
    }
    ByteBuf out = Unpooled.buffer(edits.sizeBytes());
    edits.writeTo(out);
    return JsonBytes.raw(out.array(), 0, out.writerIndex());
  }

  /**
   * Adds the total that SDKs need as an integer; a provider's own total is kept, whatever it
   * counts.
   */
  private static void total(JsonMembers members, Usage charged, JsonSplice edits) {
    required(members, "total_tokens", charged.totalTokens(), edits);
  }
}

package dev.tollgate.core.api;

import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Token usage that a provider reported in a whole reply: the parsed counts, and the bytes of the
 * provider's object.
 */
public final class ReplyUsage {
  private final @Nullable Usage counts;
  private final byte @Nullable [] text;

  private ReplyUsage(@Nullable Usage counts, byte @Nullable [] text) {
    this.counts = counts;
    this.text = text;
  }

  /** Reads the usage at a reply's root; an implausible object counts as absent. */
  public static ReplyUsage of(JsonMembers root, UsageFormat terms, int contextLength) {
    int i = root.indexOf("usage");
    if (i < 0 || root.kind(i) != JsonKind.OBJECT) {
      return new ReplyUsage(null, null);
    }
    JsonMembers object = root.object(i);
    return terms
        .read(object, contextLength)
        .map(
            counts ->
                new ReplyUsage(
                    counts,
                    Arrays.copyOfRange(object.bytes(), object.objectStart(), object.objectEnd())))
        .orElseGet(() -> new ReplyUsage(null, null));
  }

  public Optional<Usage> counts() {
    return Optional.ofNullable(counts);
  }

  /** Returns the object's bytes; null if there is none. */
  public byte @Nullable [] text() {
    return text;
  }
}

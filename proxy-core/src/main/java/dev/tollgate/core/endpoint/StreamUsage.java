package dev.tollgate.core.endpoint;

import dev.tollgate.core.dialect.UsageTerms;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The last usage that a stream told, wherever it stood (DECISIONS 2). */
final class StreamUsage {
  private final int contextLength;
  private byte @Nullable [] text;
  private @Nullable Usage usage;
  private boolean finished;
  private boolean isFinal;
  private boolean unsound;
  private boolean differs;

  /**
   * @param contextLength counts above it cannot be true; 0: unknown
   */
  StreamUsage(int contextLength) {
    this.contextLength = contextLength;
  }

  /** Takes what a chunk tells at its root; says whether that was anything. */
  boolean takeRoot(JsonMembers root) {
    int i = root.indexOf("usage");
    if (i >= 0 && root.kind(i) == JsonKind.OBJECT) {
      return take(root.object(i));
    }
    int groq = root.indexOf("x_groq");
    if (groq >= 0 && root.kind(groq) == JsonKind.OBJECT) {
      JsonMembers inside = root.object(groq);
      int k = inside.indexOf("usage");
      return k >= 0 && inside.kind(k) == JsonKind.OBJECT && take(inside.object(k));
    }
    return false;
  }

  /** Takes a usage object; says whether it has anything in it. */
  boolean take(JsonMembers object) {
    if (object.size() == 0) {
      return false;
    }
    Optional<Usage> read = UsageTerms.OPENAI.read(object, contextLength);
    // Ahead of the finish, many providers count as they go.
    differs |= isFinal && read.isPresent() && !read.get().equals(usage);
    isFinal = finished;
    unsound = read.isEmpty();
    usage = read.orElse(null);
    text =
        read.isEmpty()
            ? null
            : Arrays.copyOfRange(object.bytes(), object.objectStart(), object.objectEnd());
    return true;
  }

  /** The provider said that it finished: what comes now is the sum. */
  void finished() {
    finished = true;
  }

  /** What is odd about what it told. */
  Set<Oddity> oddities() {
    if (!differs && !unsound) {
      return Set.of();
    }
    Set<Oddity> odd = EnumSet.noneOf(Oddity.class);
    if (differs) {
      odd.add(Oddity.USAGES_DIFFER);
    }
    if (unsound) {
      odd.add(Oddity.USAGE_UNSOUND);
    }
    return odd;
  }

  /** The last one, if it was sound. */
  Optional<Usage> reported() {
    return Optional.ofNullable(usage);
  }

  /** The object that says what is charged: the provider's own unless we count. */
  byte @Nullable [] text(Usage charged) {
    return charged.estimated() ? null : text;
  }
}

package dev.tollgate.core.api;

import dev.tollgate.core.dialect.gemini.InterimUsage;
import dev.tollgate.core.dialect.openai.OpenAiUsage;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.Usage;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The last usage that a stream told, wherever it stood (docs/decisions/streaming.md#usage). What is
 * told ahead of the finish is kept as it stands, since most often another one replaces it, and read
 * when it is asked for. Loop-confined.
 */
public final class StreamUsage {
  private static final int KEPT_BYTES_USUAL = 512;
  private static final int KEPT_BYTES_AT_REST_MAX = 8 * 1024;

  private static final byte[] NONE = {};

  private final int contextLength;
  private final JsonMembers scratch = new JsonMembers();
  private Kept unread = Kept.NOTHING;
  private byte[] kept = NONE;
  private int keptBytes;
  private byte @Nullable [] text;
  private @Nullable Usage usage;
  private boolean finished;
  private boolean isFinal;
  private boolean unsound;
  private boolean differs;

  /** What waits to be read. */
  private enum Kept {
    NOTHING,
    CANONICAL,
    /** A {@link InterimUsage}. */
    SO_FAR
  }

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
      scratch.readInside(root, i);
      return take(scratch);
    }
    int soFar = root.indexOf(InterimUsage.MEMBER);
    if (soFar >= 0 && root.kind(soFar) == JsonKind.OBJECT) {
      scratch.readInside(root, soFar);
      return take(scratch, Kept.SO_FAR);
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
  public boolean take(JsonMembers object) {
    return take(object, Kept.CANONICAL);
  }

  private boolean take(JsonMembers object, Kept as) {
    if (object.size() == 0) {
      return false;
    }
    if (finished) {
      readKept();
    }
    keep(object);
    unread = as;
    if (finished) {
      readKept();
    }
    isFinal = finished;
    return true;
  }

  private void keep(JsonMembers object) {
    keptBytes = object.objectEnd() - object.objectStart();
    if (keptBytes > kept.length || kept.length > KEPT_BYTES_AT_REST_MAX) {
      kept = new byte[Math.max(keptBytes, KEPT_BYTES_USUAL)];
    }
    System.arraycopy(object.bytes(), object.objectStart(), kept, 0, keptBytes);
  }

  private void readKept() {
    if (unread != Kept.NOTHING) {
      byte[] object = Arrays.copyOf(kept, keptBytes);
      read(unread == Kept.SO_FAR ? InterimUsage.canonical(object) : object);
      unread = Kept.NOTHING;
    }
  }

  private void read(byte[] object) {
    Optional<Usage> read = OpenAiUsage.FORMAT.read(JsonMembers.ofKept(object), contextLength);
    // Ahead of the finish, many providers count as they go.
    differs |= isFinal && read.isPresent() && !read.get().equals(usage);
    unsound = read.isEmpty();
    usage = read.orElse(null);
    text = read.isEmpty() ? null : object;
  }

  /** The provider said that it finished: what comes now is the sum. */
  public void finished() {
    finished = true;
  }

  /** What is odd about what it told. */
  Set<ProtocolAnomaly> anomalies() {
    readKept();
    if (!differs && !unsound) {
      return Set.of();
    }
    Set<ProtocolAnomaly> anomalies = EnumSet.noneOf(ProtocolAnomaly.class);
    if (differs) {
      anomalies.add(ProtocolAnomaly.USAGES_DIFFER);
    }
    if (unsound) {
      anomalies.add(ProtocolAnomaly.USAGE_UNSOUND);
    }
    return anomalies;
  }

  /** The last one, if it was sound. */
  Optional<Usage> reported() {
    readKept();
    return Optional.ofNullable(usage);
  }

  /** The object that says what is charged: the provider's own unless we count. */
  public byte @Nullable [] text(Usage charged) {
    readKept();
    return charged.estimated() ? null : text;
  }
}

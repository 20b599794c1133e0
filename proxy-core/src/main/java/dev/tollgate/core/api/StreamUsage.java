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
 * Collector of the token usage that a provider's stream reports in any of its chunks; the last
 * report counts (docs/decisions/streaming.md#usage). Usage before the finish is kept unparsed,
 * because most often a later one replaces it. It is confined to one event loop.
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

  /** Kind of usage that is kept unparsed. */
  private enum Kept {
    NOTHING,
    CANONICAL,
    /** An {@link InterimUsage}. */
    SO_FAR
  }

  /**
   * @param contextLength bound of plausible counts; 0 means unknown
   */
  StreamUsage(int contextLength) {
    this.contextLength = contextLength;
  }

  /** Reads the usage at a chunk's root. Returns true if there was any. */
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

  /** Reads a usage object. Returns true if it is not empty. */
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
    // Before the finish, many providers report running counts.
    differs |= isFinal && read.isPresent() && !read.get().equals(usage);
    unsound = read.isEmpty();
    usage = read.orElse(null);
    text = read.isEmpty() ? null : object;
  }

  /** Marks the stream as finished: usage after that is the total. */
  public void finished() {
    finished = true;
  }

  /** Returns the anomalies of the reported usage. */
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

  /** Returns the last usage if it is plausible. */
  Optional<Usage> reported() {
    readKept();
    return Optional.ofNullable(usage);
  }

  /** Returns the object for the charged usage: the provider's own, or null for an estimate. */
  public byte @Nullable [] text(Usage charged) {
    readKept();
    return charged.estimated() ? null : text;
  }
}

package dev.tollgate.core.tenant;

import dev.tollgate.core.id.KeyId;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Set of the ids of all API keys in the store, kept by the poll of key changes. It may lag behind
 * the store by one poll, and never forgets an id. An id takes 16 to 32 bytes, so that the set takes
 * at most 16 MiB; ids beyond {@link #IDS_MAX} are left out. Any thread may add and ask.
 */
public final class KeyIds {
  /** Highest number of ids in the set. */
  public static final int IDS_MAX = 1_000_000;

  private static final int SLOTS_FIRST = 1024;
  private static final int ID_LENGTH = 8;
  private static final long FREE = 0;
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /** Open addressing, at most half full: replaced as a whole when it grows, else only added to. */
  private volatile AtomicLongArray slots = new AtomicLongArray(SLOTS_FIRST);

  private volatile int size;
  private volatile boolean complete;

  /** Adds an id, unless the set is full. */
  public synchronized void add(KeyId id) {
    long packed = packed(id);
    if (packed == FREE || size == IDS_MAX || contains(slots, packed)) {
      return;
    }
    if (2 * (size + 1) > slots.length()) {
      slots = doubled(slots);
    }
    insert(slots, packed);
    size++;
  }

  /** Marks the set as complete: all ids that the store has were added once. */
  public void completed() {
    complete = true;
  }

  /** True if a key with this id exists, or if that is not known yet. */
  public boolean mayContain(KeyId id) {
    return !complete || contains(slots, packed(id));
  }

  /** Returns the number of ids, for a gauge. */
  public int size() {
    return size;
  }

  private static AtomicLongArray doubled(AtomicLongArray slots) {
    AtomicLongArray larger = new AtomicLongArray(2 * slots.length());
    for (int n = 0; n < slots.length(); n++) {
      long packed = slots.get(n);
      if (packed != FREE) {
        insert(larger, packed);
      }
    }
    return larger;
  }

  private static void insert(AtomicLongArray slots, long packed) {
    int n = first(slots, packed);
    while (slots.get(n) != FREE) {
      n = next(slots, n);
    }
    slots.set(n, packed);
  }

  private static boolean contains(AtomicLongArray slots, long packed) {
    int n = first(slots, packed);
    while (slots.get(n) != FREE) {
      if (slots.get(n) == packed) {
        return true;
      }
      n = next(slots, n);
    }
    return false;
  }

  private static int first(AtomicLongArray slots, long packed) {
    return (int) ((packed * SPREAD) >>> 32) & (slots.length() - 1);
  }

  private static int next(AtomicLongArray slots, int n) {
    return (n + 1) & (slots.length() - 1);
  }

  /** Returns the id's characters as one number; {@link #FREE} for a text that is no id. */
  private static long packed(KeyId id) {
    String text = id.value();
    if (text.length() > ID_LENGTH) {
      return FREE;
    }
    long packed = 0;
    for (int i = 0; i < text.length(); i++) {
      packed = (packed << Byte.SIZE) | (text.charAt(i) & 0xFF);
    }
    return packed;
  }
}

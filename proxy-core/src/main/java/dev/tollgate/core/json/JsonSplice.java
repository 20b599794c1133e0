package dev.tollgate.core.json;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Edits of one JSON object or array, which keep, replace, delete or insert items and leave all
 * other bytes unchanged. Unedited items are written byte for byte; separators are kept between
 * neighbours that both stay and are a plain comma elsewhere. After {@link #reset} the instance is
 * reused, and allocates only what the edits need.
 */
public final class JsonSplice implements JsonValue {
  private static final JsonBytes DELETED = JsonBytes.raw("");
  private static final JsonBytes COMMA = JsonBytes.raw(",");
  private static final JsonBytes COLON = JsonBytes.raw(":");

  private JsonItems source;
  private @Nullable JsonValue[] edits = new JsonValue[0];
  private final List<Insert> inserts = new ArrayList<>(2);

  private JsonSplice(JsonItems source) {
    this.source = source;
    reset(source);
  }

  /** Creates edits of an object or array; the list must not be read again while they are in use. */
  public static JsonSplice of(JsonItems source) {
    return new JsonSplice(source);
  }

  /** Removes all edits and sets another list. */
  public void reset(JsonItems newSource) {
    source = newSource;
    inserts.clear();
    if (edits.length < source.size()) {
      edits = new JsonValue[source.size()];
    } else {
      Arrays.fill(edits, null);
    }
  }

  /** True if the output equals the source. */
  public boolean isUnchanged() {
    boolean unchanged = inserts.isEmpty();
    for (int i = 0; unchanged && i < source.size(); i++) {
      unchanged = edits[i] == null;
    }
    return unchanged;
  }

  /** Replaces the value of item {@code i}; a member keeps its name as written. */
  public JsonSplice replace(int i, JsonValue value) {
    edits[checked(i)] = value;
    return this;
  }

  public JsonSplice delete(int i) {
    edits[checked(i)] = DELETED;
    return this;
  }

  /** Inserts a member before item {@code i}, kept or deleted. */
  public JsonSplice insertBefore(int i, String name, JsonValue value) {
    return insert(checked(i), JsonBytes.string(name), value);
  }

  /** Inserts a member after item {@code i}, kept or deleted. */
  public JsonSplice insertAfter(int i, String name, JsonValue value) {
    return insert(checked(i) + 1, JsonBytes.string(name), value);
  }

  public JsonSplice insertFirst(String name, JsonValue value) {
    return insert(0, JsonBytes.string(name), value);
  }

  public JsonSplice insertLast(String name, JsonValue value) {
    return insert(source.size(), JsonBytes.string(name), value);
  }

  /**
   * Inserts a finished member (see {@link JsonBytes#member}) or an element before item {@code i}.
   */
  public JsonSplice insertBefore(int i, JsonValue item) {
    return insert(checked(i), null, item);
  }

  /** Inserts a finished member or an element after item {@code i}. */
  public JsonSplice insertAfter(int i, JsonValue item) {
    return insert(checked(i) + 1, null, item);
  }

  public JsonSplice insertFirst(JsonValue item) {
    return insert(0, null, item);
  }

  public JsonSplice insertLast(JsonValue item) {
    return insert(source.size(), null, item);
  }

  /** Appends the edited object or array. */
  public void writeTo(ByteBuf out) {
    SpliceWriter.Copy copy = new SpliceWriter.Copy(out);
    putTo(copy);
    copy.flush();
  }

  /**
   * Returns the edited object or array in few buffers: long unedited ranges are wrapped, not
   * copied, so the source's bytes must not change until the buffers are released.
   */
  public List<ByteBuf> toBuffers() {
    SpliceWriter.Wrap wrap = new SpliceWriter.Wrap();
    putTo(wrap);
    return wrap.buffers();
  }

  /** Returns the number of bytes that {@link #writeTo} appends. */
  public int sizeBytes() {
    SpliceWriter.Count count = new SpliceWriter.Count();
    putTo(count);
    return count.sum();
  }

  void putTo(SpliceWriter out) {
    new Walk(out).run();
  }

  private JsonSplice insert(int position, @Nullable JsonBytes name, JsonValue value) {
    inserts.add(new Insert(position, name, value));
    return this;
  }

  private int checked(int i) {
    if (i < 0 || i >= source.size()) {
      throw new IndexOutOfBoundsException("item " + i + " of " + source.size());
    }
    return i;
  }

  /** New item before the source's item at {@code position}. */
  private record Insert(int position, @Nullable JsonBytes name, JsonValue value) {}

  /** One pass over the items, which writes the edited text. */
  private final class Walk {
    private static final int NOTHING = -2;
    private static final int INSERTED = -1;

    private final SpliceWriter out;
    private final byte[] bytes = source.bytes();
    private int previous = NOTHING;

    Walk(SpliceWriter out) {
      this.out = out;
    }

    void run() {
      for (int i = 0; i < source.size(); i++) {
        insertsAt(i);
        JsonValue edit = edits[i];
        if (edit != DELETED) {
          item(i, edit);
        }
      }
      insertsAt(source.size());
      closing();
    }

    private void insertsAt(int position) {
      for (int k = 0; k < inserts.size(); k++) {
        Insert insert = inserts.get(k);
        if (insert.position == position) {
          separator(INSERTED);
          if (insert.name != null) {
            out.add(insert.name);
            out.add(COLON);
          }
          put(insert.value);
          previous = INSERTED;
        }
      }
    }

    private void item(int i, @Nullable JsonValue edit) {
      separator(i);
      if (edit == null) {
        out.add(bytes, source.itemStart(i), source.valueEnd(i));
      } else {
        out.add(bytes, source.itemStart(i), source.valueStart(i));
        put(edit);
      }
      previous = i;
    }

    /** Writes the separator before an item: as written if the neighbour before it is unchanged. */
    private void separator(int next) {
      if (next == 0 && previous == NOTHING) {
        out.add(bytes, source.start(), source.itemStart(0));
      } else if (previous == NOTHING) {
        out.add(bytes, source.start(), source.start() + 1);
      } else if (next > 0 && previous == next - 1) {
        out.add(bytes, source.valueEnd(previous), source.itemStart(next));
      } else {
        out.add(COMMA);
      }
    }

    private void closing() {
      if (previous == NOTHING && source.size() == 0) {
        out.add(bytes, source.start(), source.end());
      } else if (previous == NOTHING) {
        out.add(bytes, source.start(), source.start() + 1);
        out.add(bytes, source.end() - 1, source.end());
      } else if (previous >= 0 && previous == source.size() - 1) {
        out.add(bytes, source.valueEnd(previous), source.end());
      } else {
        out.add(bytes, source.end() - 1, source.end());
      }
    }

    private void put(JsonValue value) {
      switch (value) {
        case JsonBytes json -> out.add(json);
        case JsonSplice nested -> nested.putTo(out);
      }
    }
  }
}

package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonWriter;
import java.util.function.Supplier;

/** Writer of a JSON array member that is omitted if no element is written. */
public final class LazyArray implements Supplier<JsonWriter> {
  private final String name;
  private final JsonWriter out;
  private boolean begun;

  public LazyArray(String name, JsonWriter out) {
    this.name = name;
    this.out = out;
  }

  /** Returns the writer of the next element. */
  @Override
  public JsonWriter get() {
    if (!begun) {
      begun = true;
      out.name(name).beginArray();
    }
    return out;
  }

  public void end() {
    if (begun) {
      out.endArray();
    }
  }
}

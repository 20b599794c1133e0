package dev.tollgate.core.dialect;

import dev.tollgate.core.json.JsonOut;
import java.util.function.Supplier;

/** A member that is an array, and is there only if something is in it. */
final class LazyArray implements Supplier<JsonOut> {
  private final String name;
  private final JsonOut out;
  private boolean begun;

  LazyArray(String name, JsonOut out) {
    this.name = name;
    this.out = out;
  }

  /** Where its next element goes. */
  @Override
  public JsonOut get() {
    if (!begun) {
      begun = true;
      out.name(name).beginArray();
    }
    return out;
  }

  void end() {
    if (begun) {
      out.endArray();
    }
  }
}

package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.binding.ScalarFormat.Parsed;
import java.nio.file.Path;
import java.util.List;

/** Checks a bound setting against the {@code min} and {@code max} of its {@link Key} annotation. */
final class RangeCheck {
  private RangeCheck() {}

  /** Returns why the value is out of range; empty if it is not. */
  static String violation(SettingType.Entry entry, Object value, Path folder) {
    Key key = entry.description();
    if (value instanceof List<?> items) {
      return !key.min().isEmpty() && items.size() < Integer.parseInt(key.min())
          ? "must have at least " + key.min() + (key.min().equals("1") ? " item" : " items")
          : "";
    }
    if (!(entry.type() instanceof SettingType.Scalar scalar)) {
      return "";
    }
    if (!key.min().isEmpty() && compare(value, bound(scalar.format(), key.min(), folder)) < 0) {
      return "must be at least " + key.min();
    }
    if (!key.max().isEmpty() && compare(value, bound(scalar.format(), key.max(), folder)) > 0) {
      return "must be at most " + key.max();
    }
    return "";
  }

  private static Object bound(ScalarFormat format, String text, Path folder) {
    if (format.parse(text, folder) instanceof Parsed.Ok(Object value)) {
      return value;
    }
    throw new AssertionError("a bound that is no value: " + text);
  }

  @SuppressWarnings("unchecked") // both come from one format
  private static int compare(Object a, Object b) {
    return ((Comparable<Object>) a).compareTo(b);
  }
}

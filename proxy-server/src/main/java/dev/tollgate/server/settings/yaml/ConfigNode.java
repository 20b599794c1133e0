package dev.tollgate.server.settings.yaml;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A piece of a configuration as it was written, before anyone asked what it means. */
public sealed interface ConfigNode {
  SourceLocation location();

  /** A single value: its text, not yet a number, a switch or a duration. */
  record Scalar(String text, Origin origin, SourceLocation location) implements ConfigNode {

    /** Whether this says "nothing": an empty value, {@code null} or {@code ~} without quotes. */
    public boolean isNull() {
      return switch (origin) {
        case PLAIN -> text.isEmpty() || text.equals("~") || text.equals("null");
        case EXTERNAL -> text.isEmpty() || text.equals("null");
        case QUOTED, INVALID -> false;
      };
    }

    /** Whether a message may repeat the text: never what came from a variable or a file. */
    public boolean mayBeShown() {
      return origin == Origin.PLAIN || origin == Origin.QUOTED;
    }
  }

  /** How a scalar came to its text. */
  enum Origin {
    /** Written without quotes. */
    PLAIN,
    /** Written in quotes or as a block: always a value, never null. */
    QUOTED,
    /** Put in from the environment or a secret file. */
    EXTERNAL,
    /** Interpolation failed and was reported; the value is unknown. */
    INVALID
  }

  /** A list. */
  record Sequence(List<ConfigNode> items, SourceLocation location) implements ConfigNode {
    public Sequence {
      items = List.copyOf(items);
    }
  }

  /** Keys and values in the order of the file. */
  record Mapping(Map<String, Entry> entries, SourceLocation location) implements ConfigNode {
    public Mapping {
      entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    /** This mapping with one key set or replaced. */
    public Mapping with(Entry entry) {
      Map<String, Entry> changed = new LinkedHashMap<>(entries);
      changed.put(entry.key(), entry);
      return new Mapping(changed, location);
    }

    /** This mapping without one key. */
    public Mapping without(String key) {
      Map<String, Entry> changed = new LinkedHashMap<>(entries);
      changed.remove(key);
      return new Mapping(changed, location);
    }
  }

  /** One key of a mapping, with the place of the key itself. */
  record Entry(String key, SourceLocation keyLocation, ConfigNode value) {}
}

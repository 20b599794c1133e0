package dev.tollgate.server.settings.yaml;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Node of the YAML tree of a configuration file, not yet bound to a setting. */
public sealed interface ConfigNode {
  SourceLocation location();

  /** Scalar as text, not yet a number, boolean or duration. */
  record Scalar(String text, Origin origin, SourceLocation location) implements ConfigNode {

    /** True for an empty value, {@code null} or {@code ~} without quotes. */
    public boolean isNull() {
      return switch (origin) {
        case PLAIN -> text.isEmpty() || text.equals("~") || text.equals("null");
        case EXTERNAL -> text.isEmpty() || text.equals("null");
        case QUOTED, INVALID -> false;
      };
    }

    /** True if messages may repeat the text: it is not from a variable or a secret file. */
    public boolean mayBeShown() {
      return origin == Origin.PLAIN || origin == Origin.QUOTED;
    }
  }

  /** Source of a scalar's text, which decides if it can be null and may be repeated in messages. */
  enum Origin {
    /** The text was written without quotes. */
    PLAIN,
    /** The text was written in quotes or as a block: always a value, never null. */
    QUOTED,
    /** The text is from the environment or a secret file. */
    EXTERNAL,
    /** Interpolation failed and was reported; the value is unknown. */
    INVALID
  }

  /** YAML sequence. */
  record Sequence(List<ConfigNode> items, SourceLocation location) implements ConfigNode {
    public Sequence {
      items = List.copyOf(items);
    }
  }

  /** YAML mapping with its entries in the order of the file. */
  record Mapping(Map<String, Entry> entries, SourceLocation location) implements ConfigNode {
    public Mapping {
      entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    /** Returns this mapping with one key set or replaced. */
    public Mapping with(Entry entry) {
      Map<String, Entry> changed = new LinkedHashMap<>(entries);
      changed.put(entry.key(), entry);
      return new Mapping(changed, location);
    }

    /** Returns this mapping without one key. */
    public Mapping without(String key) {
      Map<String, Entry> changed = new LinkedHashMap<>(entries);
      changed.remove(key);
      return new Mapping(changed, location);
    }
  }

  /** Key of a mapping with its value; the location is that of the key. */
  record Entry(String key, SourceLocation keyLocation, ConfigNode value) {}
}

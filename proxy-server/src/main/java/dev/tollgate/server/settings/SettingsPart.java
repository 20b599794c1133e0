package dev.tollgate.server.settings;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Part of the configuration that a command reads. Other sections are not looked at, so what they
 * refer to, such as a provider's key, need not be there; in the {@link Settings} they are null.
 */
public enum SettingsPart {
  /** The whole configuration. */
  ALL(Set.copyOf(Settings.TYPE.entries().keySet())),
  /** The store, and what its rows are bound by. */
  STORE(Set.of("version", "store", "redis", "ledger", "limits")),
  /** The store, and the models that keys can be restricted to. */
  KEYS(Set.of("version", "store", "redis", "ledger", "limits", "catalogs", "models")),
  /** The store, and the addresses and mails of the control plane. */
  ACCOUNTS(Set.of("version", "store", "redis", "ledger", "limits", "listeners", "control_plane")),
  /** The listeners. */
  LISTENERS(Set.of("version", "listeners"));

  private static final String PREFIX = "TOLLGATE_";

  @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
  private final Set<String> sections;

  SettingsPart(Set<String> sections) {
    this.sections = sections;
  }

  /** True unless a setting belongs to a section outside of this part; unknown ones do not. */
  boolean reads(String path) {
    String section = path.split("\\.", 2)[0];
    return sections.contains(section) || !Settings.TYPE.entries().containsKey(section);
  }

  /** Returns the environment without variables that set something outside of this part. */
  Map<String, String> variables(Map<String, String> environment) {
    Map<String, String> kept = new TreeMap<>(environment);
    for (String section : Settings.TYPE.entries().keySet()) {
      if (!reads(section)) {
        String name = PREFIX + section.toUpperCase(Locale.ROOT);
        kept.keySet().removeIf(each -> each.equals(name) || each.startsWith(name + "__"));
      }
    }
    return kept;
  }
}

package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.SourceLocations;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SettingPaths;

/**
 * Reporter of problems in one configuration section to {@link Problems}, with the location of each
 * key.
 *
 * @param path of the section; keys are relative to it, and the empty key is the section itself
 */
record SectionProblems(String path, SourceLocations locations, Problems problems) {
  SectionProblems in(String key) {
    return new SectionProblems(at(key), locations, problems);
  }

  void add(String key, String message) {
    problems.add(locations.of(at(key)), at(key), message);
  }

  /** Reports a problem unless one is known at {@code key} or inside it. */
  void addFirst(String key, String message) {
    if (!isReported(key)) {
      add(key, message);
    }
  }

  void warn(String key, String message) {
    problems.warn(locations.of(at(key)), at(key), message);
  }

  /** True if a problem is known at {@code key} or inside it, for instance from the binder. */
  boolean isReported(String key) {
    return problems.hasProblemAt(at(key));
  }

  private String at(String key) {
    return key.isEmpty() ? path : SettingPaths.join(path, key);
  }
}

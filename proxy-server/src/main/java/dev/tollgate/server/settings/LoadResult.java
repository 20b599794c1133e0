package dev.tollgate.server.settings;

import dev.tollgate.server.settings.yaml.Problem;
import java.util.List;

/**
 * Result of {@link SettingsLoader}: valid settings with warnings, or all problems of the
 * configuration.
 */
public sealed interface LoadResult {
  /**
   * The configuration is valid.
   *
   * @param warnings settings that are accepted and have no effect in this version
   */
  record Valid(Settings settings, List<Problem> warnings) implements LoadResult {
    public Valid {
      warnings = List.copyOf(warnings);
    }
  }

  /** The configuration is invalid; lists at least one problem, in the order of the file. */
  record Invalid(List<Problem> problems) implements LoadResult {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}

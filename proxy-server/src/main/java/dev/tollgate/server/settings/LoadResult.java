package dev.tollgate.server.settings;

import dev.tollgate.server.settings.yaml.Problem;
import java.util.List;

/** Result of loading a configuration. */
public sealed interface LoadResult {
  /**
   * Settings that can be used.
   *
   * @param warnings settings that are accepted and have no effect in this version
   */
  record Valid(Settings settings, List<Problem> warnings) implements LoadResult {
    public Valid {
      warnings = List.copyOf(warnings);
    }
  }

  /** All problems in the order of the file, at least one. */
  record Invalid(List<Problem> problems) implements LoadResult {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}

package dev.tollgate.server.settings;

import dev.tollgate.server.settings.yaml.Problem;
import java.util.List;

/** What became of loading a configuration. */
public sealed interface LoadResult {
  /**
   * All of it is right.
   *
   * @param warnings settings that are accepted and do nothing in this version
   */
  record Valid(Settings settings, List<Problem> warnings) implements LoadResult {
    public Valid {
      warnings = List.copyOf(warnings);
    }
  }

  /** Everything that is wrong, in the order of the file; at least one. */
  record Invalid(List<Problem> problems) implements LoadResult {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}

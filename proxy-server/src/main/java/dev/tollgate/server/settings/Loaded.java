package dev.tollgate.server.settings;

import dev.tollgate.server.settings.yaml.Problem;
import java.util.List;

/** What became of loading a configuration. */
public sealed interface Loaded {
  /** All of it is right. */
  record Valid(Settings settings) implements Loaded {}

  /** Everything that is wrong, in the order of the file; at least one. */
  record Invalid(List<Problem> problems) implements Loaded {
    public Invalid {
      problems = List.copyOf(problems);
    }
  }
}

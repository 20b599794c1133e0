package dev.tollgate.server.settings.yaml;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collector of errors and warnings of a configuration, so that all are reported at once. */
public final class Problems {
  private static final Comparator<Problem> FILES_FIRST_BY_LINE =
      Comparator.comparingInt(
              (Problem problem) -> problem.location() instanceof SourceLocation.InFile ? 0 : 1)
          .thenComparing(Problems::file)
          .thenComparingInt(Problems::line)
          .thenComparingInt(Problems::column);

  private final Set<Problem> found = new LinkedHashSet<>();
  private final Set<Problem> warnings = new LinkedHashSet<>();

  public void add(SourceLocation location, String path, String message) {
    found.add(new Problem(location, path, message));
  }

  /** Adds a warning: the setting is valid, and has not the effect that an operator may expect. */
  public void warn(SourceLocation location, String path, String message) {
    warnings.add(new Problem(location, path, message));
  }

  /** True if a setting, or a setting inside it, has a problem. */
  public boolean hasProblemAt(String path) {
    return found.stream()
        .map(Problem::path)
        .anyMatch(at -> at.equals(path) || at.startsWith(path + ".") || at.startsWith(path + "["));
  }

  public boolean isEmpty() {
    return found.isEmpty();
  }

  /**
   * Returns the problems sorted by file, line and column; those of environment and options are
   * last.
   */
  public List<Problem> sorted() {
    return found.stream().sorted(FILES_FIRST_BY_LINE).toList();
  }

  /** Returns the warnings, in the same order. */
  public List<Problem> warnings() {
    return warnings.stream().sorted(FILES_FIRST_BY_LINE).toList();
  }

  private static String file(Problem problem) {
    return problem.location() instanceof SourceLocation.InFile in ? in.file() : "";
  }

  private static int line(Problem problem) {
    return problem.location() instanceof SourceLocation.InFile in ? in.line() : 0;
  }

  private static int column(Problem problem) {
    return problem.location() instanceof SourceLocation.InFile in ? in.column() : 0;
  }
}

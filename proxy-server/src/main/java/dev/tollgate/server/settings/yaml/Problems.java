package dev.tollgate.server.settings.yaml;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects everything that is wrong, so that all of it can be reported at once. */
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

  /** Something that is right, and yet does not do what its reader may expect of it. */
  public void warn(SourceLocation location, String path, String message) {
    warnings.add(new Problem(location, path, message));
  }

  /** Whether a setting, or something inside it, is among the problems. */
  public boolean hasProblemAt(String path) {
    return found.stream()
        .map(Problem::path)
        .anyMatch(at -> at.equals(path) || at.startsWith(path + ".") || at.startsWith(path + "["));
  }

  public boolean isEmpty() {
    return found.isEmpty();
  }

  /** By file, line and column; what came from outside the files last. */
  public List<Problem> sorted() {
    return found.stream().sorted(FILES_FIRST_BY_LINE).toList();
  }

  /** The warnings, in the same order. */
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

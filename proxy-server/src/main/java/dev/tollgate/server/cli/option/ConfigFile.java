package dev.tollgate.server.cli.option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Search for the configuration file: the option, else the environment, else the first file that
 * exists in the working directory or in {@code /etc}.
 */
public final class ConfigFile {
  /** The places behind the option, in their order. */
  public static final String PLACES =
      "$TOLLGATE_CONFIG, ./tollgate.yaml or /etc/tollgate/tollgate.yaml";

  private static final String VARIABLE = "TOLLGATE_CONFIG";
  private static final List<Path> FILES =
      List.of(Path.of("tollgate.yaml"), Path.of("/etc/tollgate/tollgate.yaml"));

  private ConfigFile() {}

  /**
   * Returns the file; empty if none is named and none exists.
   *
   * @param option the file that was named on the command line
   */
  public static Optional<Path> find(@Nullable Path option) {
    return find(option, System.getenv(), FILES);
  }

  /** A file that is named need not exist: that is reported by its name. */
  static Optional<Path> find(
      @Nullable Path option, Map<String, String> environment, List<Path> files) {
    if (option != null) {
      return Optional.of(option);
    }
    String named = environment.getOrDefault(VARIABLE, "");
    return named.isEmpty()
        ? files.stream().filter(Files::exists).findFirst()
        : Optional.of(Path.of(named));
  }
}

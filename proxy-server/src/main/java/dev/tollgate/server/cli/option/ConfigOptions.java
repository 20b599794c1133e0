package dev.tollgate.server.cli.option;

import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.SettingsLoader;
import dev.tollgate.server.settings.yaml.Problem;
import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** Command line options that name the configuration file and override its settings. */
public final class ConfigOptions {
  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "Configuration file.")
  private Path config = Path.of("");

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Overrides one setting, such as store.url=jdbc:postgresql://host/db.")
  private List<String> sets = List.of();

  public Path file() {
    return config;
  }

  /** Loads the configuration in the environment of this process. */
  public LoadResult load() {
    return new SettingsLoader(ProcessEnvironment.current()).load(config, sets);
  }

  /** Thrown if the configuration of a command is invalid; the message has one line per problem. */
  public static final class InvalidConfigurationException extends Exception {
    private static final long serialVersionUID = 1;

    public InvalidConfigurationException(List<Problem> problems) {
      super(
          problems.stream().map(Object::toString).collect(Collectors.joining("\n")),
          null,
          false,
          false);
    }
  }
}

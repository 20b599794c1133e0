package dev.tollgate.server.cli.option;

import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.SettingsLoader;
import dev.tollgate.server.settings.SettingsPart;
import dev.tollgate.server.settings.yaml.Problem;
import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Command line options that name the configuration file and override its settings. */
public final class ConfigOptions {
  @Spec(Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file. Without it: " + ConfigFile.PLACES + ".")
  private @Nullable Path config;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Overrides one setting, such as store.url=jdbc:postgresql://host/db.")
  private List<String> sets = List.of();

  /** Found once: a reload reads the same file. */
  private @Nullable Path file;

  /** Returns the configuration file: the one that was named, or that of the first place. */
  public Path file() {
    Path found = file;
    if (found == null) {
      found =
          ConfigFile.find(config)
              .orElseThrow(
                  () ->
                      new ParameterException(
                          Objects.requireNonNull(command).commandLine(),
                          "no configuration file: give --config FILE, or have one at "
                              + ConfigFile.PLACES));
      file = found;
    }
    return found;
  }

  /** Loads a part of the configuration in the environment of this process. */
  public LoadResult load(SettingsPart part) {
    return new SettingsLoader(ProcessEnvironment.current()).load(file(), sets, part);
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

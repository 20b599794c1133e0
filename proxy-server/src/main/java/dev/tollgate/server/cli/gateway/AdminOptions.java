package dev.tollgate.server.cli.gateway;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.cli.option.ConfigFile;
import dev.tollgate.server.cli.option.ConfigOptions;
import dev.tollgate.server.settings.ListenerSettings;
import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.SettingsLoader;
import dev.tollgate.server.settings.SettingsPart;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Command line options that locate the admin listener of a running gateway. */
final class AdminOptions {
  private static final String ADDRESS_VARIABLE = "TOLLGATE_LISTENERS__ADMIN__ADDRESS";
  private static final String TOKEN_VARIABLE = "TOLLGATE_LISTENERS__ADMIN__TOKEN";
  private static final String ADDRESS_DEFAULT = "127.0.0.1:9901";

  @Spec(Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description =
          "Admin listener of the gateway; else $" + ADDRESS_VARIABLE + ", else " + ADDRESS_DEFAULT)
  private @Nullable String address;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "Configuration to take address and token from. Without it, and without --admin: "
              + ConfigFile.PLACES
              + ", if one exists")
  private @Nullable Path config;

  /** Returns a client for the listener named by options, configuration and environment. */
  AdminClient client() throws ConfigOptions.InvalidConfigurationException {
    Map<String, String> environment = System.getenv();
    Path file = config == null && address == null ? ConfigFile.find(null).orElse(null) : config;
    if (file != null) {
      ListenerSettings.Admin admin = configured(file);
      return new AdminClient(address == null ? admin.address() : parse(address), admin.token());
    }
    String token = environment.get(TOKEN_VARIABLE);
    String text =
        Objects.requireNonNullElseGet(
            address, () -> environment.getOrDefault(ADDRESS_VARIABLE, ADDRESS_DEFAULT));
    return new AdminClient(parse(text), token == null ? null : new Secret(token));
  }

  private static ListenerSettings.Admin configured(Path file)
      throws ConfigOptions.InvalidConfigurationException {
    return switch (new SettingsLoader(ProcessEnvironment.current())
        .load(file, List.of(), SettingsPart.LISTENERS)) {
      case LoadResult.Valid valid -> valid.settings().listeners().admin();
      case LoadResult.Invalid invalid ->
          throw new ConfigOptions.InvalidConfigurationException(invalid.problems());
    };
  }

  private BindAddress parse(String text) {
    return BindAddress.parse(text).orElseThrow(() -> usage("not HOST:PORT: " + text));
  }

  private ParameterException usage(String message) {
    return new ParameterException(Objects.requireNonNull(command).commandLine(), message);
  }
}

package dev.tollgate.server.cli.gateway;

import dev.tollgate.server.cli.gateway.AdminClient.AdminResponse;
import dev.tollgate.server.cli.option.ConfigOptions;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Base class of CLI commands that call the admin listener of a running gateway. The exit code is 0
 * on success, and 1 if the gateway refuses or does not answer.
 */
abstract class AdminCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private AdminOptions admin = new AdminOptions();

  @Override
  public final Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    try {
      AdminResponse response = send(admin.client());
      var writer = response.isSuccess() ? line.getOut() : line.getErr();
      writer.println(response.body().strip());
      return response.isSuccess() ? 0 : 1;
    } catch (AdminClient.AdminUnreachableException
        | ConfigOptions.InvalidConfigurationException e) {
      line.getErr().println(e.getMessage());
      return 1;
    }
  }

  /** Sends the request, and returns the response in the form to print. */
  abstract AdminResponse send(AdminClient client) throws AdminClient.AdminUnreachableException;
}

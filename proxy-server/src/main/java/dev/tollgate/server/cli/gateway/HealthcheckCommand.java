package dev.tollgate.server.cli.gateway;

import dev.tollgate.server.cli.gateway.AdminClient.AdminResponse;
import picocli.CommandLine.Command;

/**
 * Command {@code tollgate healthcheck}: returns the readiness of a gateway as exit code, for
 * containers.
 */
@Command(
    name = "healthcheck",
    description = "Exit with 0 if the gateway is ready, else with 1.",
    mixinStandardHelpOptions = true)
public final class HealthcheckCommand extends AdminCommand {
  @Override
  AdminResponse send(AdminClient client) throws AdminClient.AdminUnreachableException {
    return client.get("/readyz");
  }
}

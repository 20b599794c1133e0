package dev.tollgate.server.cli.gateway;

import dev.tollgate.server.cli.gateway.AdminClient.AdminResponse;
import picocli.CommandLine.Command;

/** Command {@code tollgate drain}: makes a running gateway finish its requests and end. */
@Command(
    name = "drain",
    description = "Let the gateway finish its requests and end, as SIGTERM does.",
    mixinStandardHelpOptions = true)
public final class DrainCommand extends AdminCommand {
  @Override
  AdminResponse send(AdminClient client) throws AdminClient.AdminUnreachableException {
    return client.post("/-/drain");
  }
}

package dev.tollgate.server.cli.gateway;

import dev.tollgate.server.cli.gateway.AdminClient.AdminResponse;
import picocli.CommandLine.Command;

/** Command {@code tollgate reload}: makes a running gateway read its configuration again. */
@Command(
    name = "reload",
    description = "Let the gateway read its configuration again, as SIGHUP does.",
    mixinStandardHelpOptions = true)
public final class ReloadCommand extends AdminCommand {
  @Override
  AdminResponse send(AdminClient client) throws AdminClient.AdminUnreachableException {
    return client.post("/-/reload");
  }
}

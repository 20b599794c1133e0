package dev.tollgate.server.cli;

import dev.tollgate.server.cli.AdminClient.Answer;
import picocli.CommandLine.Command;

/** {@code tollgate reload}: has a running gateway read its configuration again. */
@Command(
    name = "reload",
    description = "Have the gateway read its configuration again, as SIGHUP does.",
    mixinStandardHelpOptions = true)
final class Reload extends AdminVerb {
  @Override
  Answer ask(AdminClient client) throws AdminUnreachable {
    return client.post("/-/reload");
  }
}

package dev.tollgate.server.cli;

import dev.tollgate.server.cli.AdminClient.Answer;
import picocli.CommandLine.Command;

/** {@code tollgate drain}: lets a running gateway finish its requests and end. */
@Command(
    name = "drain",
    description = "Let the gateway finish its requests and end, as SIGTERM does.",
    mixinStandardHelpOptions = true)
final class Drain extends AdminVerb {
  @Override
  Answer ask(AdminClient client) throws AdminUnreachable {
    return client.post("/-/drain");
  }
}

package dev.tollgate.server.cli;

import dev.tollgate.server.settings.yaml.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** Thrown if the configuration of a command is invalid; the message has one line per problem. */
final class InvalidConfigurationException extends Exception {
  private static final long serialVersionUID = 1;

  InvalidConfigurationException(List<Problem> problems) {
    super(
        problems.stream().map(Object::toString).collect(Collectors.joining("\n")),
        null,
        false,
        false);
  }
}

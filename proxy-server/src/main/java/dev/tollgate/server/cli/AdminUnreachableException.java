package dev.tollgate.server.cli;

import dev.tollgate.server.settings.value.BindAddress;
import java.io.IOException;

/** Thrown if a command cannot connect to the admin listener of the gateway. */
final class AdminUnreachableException extends Exception {
  private static final long serialVersionUID = 1;

  AdminUnreachableException(BindAddress address, IOException cause) {
    super("no gateway answers at " + address + ": " + cause.getMessage(), cause, false, false);
  }
}

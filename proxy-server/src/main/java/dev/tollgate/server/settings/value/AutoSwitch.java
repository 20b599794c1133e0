package dev.tollgate.server.settings.value;

import java.util.Optional;

/** Switch that an operator sets to {@code true} or {@code false}, or leaves to the gateway. */
public enum AutoSwitch {
  /** The gateway decides each time. */
  AUTO,
  ON,
  OFF;

  public static Optional<AutoSwitch> parse(String text) {
    return switch (text) {
      case "auto" -> Optional.of(AUTO);
      case "true" -> Optional.of(ON);
      case "false" -> Optional.of(OFF);
      default -> Optional.empty();
    };
  }

  /** Returns the value for JSON. */
  public Object print() {
    return switch (this) {
      case AUTO -> "auto";
      case ON -> true;
      case OFF -> false;
    };
  }
}

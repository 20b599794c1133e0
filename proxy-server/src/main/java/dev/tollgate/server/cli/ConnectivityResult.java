package dev.tollgate.server.cli;

/** Result of one connectivity check. */
sealed interface ConnectivityResult {
  record Reachable(String target, String detail) implements ConnectivityResult {}

  record Unreachable(String target, String reason) implements ConnectivityResult {}
}

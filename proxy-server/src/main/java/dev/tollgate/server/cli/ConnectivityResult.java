package dev.tollgate.server.cli;

/** Whether something that a configuration names could be reached. */
sealed interface ConnectivityResult {
  record Reachable(String target, String detail) implements ConnectivityResult {}

  record Unreachable(String target, String reason) implements ConnectivityResult {}
}

package dev.tollgate.server.cli;

/**
 * Result of checking one service that a configuration names: reachable with details, or unreachable
 * with a reason.
 */
sealed interface ConnectivityResult {
  record Reachable(String target, String detail) implements ConnectivityResult {}

  record Unreachable(String target, String reason) implements ConnectivityResult {}
}

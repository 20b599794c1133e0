package dev.tollgate.server.cli;

/** Whether something that a configuration names could be reached. */
sealed interface Reached {
  record Yes(String what, String how) implements Reached {}

  record No(String what, String why) implements Reached {}
}

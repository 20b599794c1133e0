package dev.tollgate.core.catalog;

/** How a provider is asked to continue an answer that was begun elsewhere. */
public enum Prefill {
  /** It cannot be: a last message of the assistant is history to it. */
  NONE,
  /** By a last message of the assistant. */
  MESSAGE,
  /** The same, with {@code "prefix": true} in the message. */
  PREFIX,
  /** The same, with {@code continue_final_message} beside the messages. */
  CONTINUE_FINAL_MESSAGE
}

package dev.tollgate.core.catalog;

/** Way in which a provider is asked to continue an answer whose beginning it is given. */
public enum Prefill {
  /** The provider cannot continue: it takes a last assistant message as history. */
  NONE,
  /** The beginning is the last message, of the assistant. */
  MESSAGE,
  /** Like {@link #MESSAGE}, with {@code "prefix": true} in the message. */
  PREFIX,
  /** Like {@link #MESSAGE}, with {@code continue_final_message} beside the messages. */
  CONTINUE_FINAL_MESSAGE
}

package dev.tollgate.server.settings.binding;

import org.jspecify.annotations.Nullable;

/** Result of binding one YAML node to its setting: a value, or a rejection that was reported. */
public sealed interface BindResult {

  /** The value of the setting; null if the setting is null. */
  record Value(@Nullable Object value) implements BindResult {}

  /** The node has no usable value; the problem is reported. */
  record Rejected() implements BindResult {}
}

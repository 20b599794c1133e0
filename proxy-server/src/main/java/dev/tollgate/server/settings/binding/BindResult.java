package dev.tollgate.server.settings.binding;

import org.jspecify.annotations.Nullable;

/** Result of binding one node of a configuration. */
public sealed interface BindResult {

  /** Value; null if the setting is null. */
  record Value(@Nullable Object value) implements BindResult {}

  /** No usable value; the problem is reported. */
  record Rejected() implements BindResult {}
}

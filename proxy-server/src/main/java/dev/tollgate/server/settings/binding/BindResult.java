package dev.tollgate.server.settings.binding;

import org.jspecify.annotations.Nullable;

/** What became of reading one place of a configuration. */
public sealed interface BindResult {

  /** The value; null where the setting is null. */
  record Value(@Nullable Object value) implements BindResult {}

  /** Nothing usable; the problem was reported. */
  record Rejected() implements BindResult {}
}

package dev.tollgate.server.settings.shape;

import org.jspecify.annotations.Nullable;

/** What became of reading one place of a configuration. */
public sealed interface Reading {

  /** The value; null where the setting is null. */
  record Value(@Nullable Object value) implements Reading {}

  /** Nothing usable; the problem was reported. */
  record Hole() implements Reading {}
}

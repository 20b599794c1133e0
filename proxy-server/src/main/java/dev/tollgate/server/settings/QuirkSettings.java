package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Provider;

/**
 * Configuration section {@code quirks}: deviations of a provider from the wire format of its
 * dialect.
 */
public sealed interface QuirkSettings
    permits OpenAiQuirkSettings, ModelQuirkSettings, MediaQuirkSettings {
  Provider.Quirks toCatalog();

  /** Reports values that the keys accept and the dialect does not. */
  void check(SectionProblems problems);
}

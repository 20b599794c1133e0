package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.SourceLocations;
import dev.tollgate.server.settings.yaml.Problems;

/**
 * Problems of one provider.
 *
 * @param path of the provider's section; keys of a problem are relative to it
 */
record ProviderProblems(String path, SourceLocations locations, Problems problems) {

  /** Reports a problem at {@code key}, such as {@code quirks.prefill}. */
  void add(String key, String message) {
    String at = path + "." + key;
    problems.add(locations.of(at), at, message);
  }

  /** True if a problem was reported at {@code key}, for instance by the binder. */
  boolean isReported(String key) {
    return problems.hasProblemAt(path + "." + key);
  }
}

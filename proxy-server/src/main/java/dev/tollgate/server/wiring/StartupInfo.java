package dev.tollgate.server.wiring;

import org.jspecify.annotations.Nullable;

/**
 * What the command line says when the gateway is ready.
 *
 * @param baseUrl what a client library takes as base address, ending in {@code /v1}
 * @param bootstrapKey the first key in full, known only to the process that made it
 * @param model a chat model to try; null where none is configured
 */
public record StartupInfo(String baseUrl, @Nullable String bootstrapKey, @Nullable String model) {
  /** Never the key. */
  @Override
  public String toString() {
    return baseUrl;
  }
}

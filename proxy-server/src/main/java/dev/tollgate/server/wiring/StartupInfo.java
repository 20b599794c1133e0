package dev.tollgate.server.wiring;

import org.jspecify.annotations.Nullable;

/**
 * Data that the command line prints when the gateway is ready.
 *
 * @param baseUrl base address for client libraries, ending in {@code /v1}
 * @param bootstrapKey the first key in full, known only to the process that created it
 * @param model a chat model to try; null if none is configured
 * @param controlUrl URL of the control plane for browsers; null if it is switched off
 * @param setUpUrl link that makes the first account, known only to this process; null if there is
 *     one
 */
public record StartupInfo(
    String baseUrl,
    @Nullable String bootstrapKey,
    @Nullable String model,
    @Nullable String controlUrl,
    @Nullable String setUpUrl) {
  /** Without the key and the link. */
  @Override
  public String toString() {
    return baseUrl;
  }
}

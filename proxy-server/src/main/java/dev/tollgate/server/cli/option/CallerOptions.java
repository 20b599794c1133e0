package dev.tollgate.server.cli.option;

import dev.tollgate.core.id.KeyId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Command line options that filter by organization and API key. */
public final class CallerOptions {
  @Option(
      names = "--org",
      paramLabel = "ORG",
      description = "Only requests of this organization: name or id.")
  private @Nullable String org;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Only requests of this key: the 8 characters after sk-llm-.")
  private @Nullable String key;

  public @Nullable String org() {
    return org;
  }

  public @Nullable KeyId key() {
    return key == null ? null : new KeyId(key);
  }
}

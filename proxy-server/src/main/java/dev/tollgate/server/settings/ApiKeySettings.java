package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Shorthand;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** API keys of a provider: one key, or a weighted pool. */
public record ApiKeySettings(
    @Key(about = "its key; null: none is sent") @Nullable Secret apiKey,
    @Key(about = "several keys as a weighted pool, instead of api_key") List<PooledKey> apiKeys) {
  static final ApiKeySettings NONE = new ApiKeySettings(null, List.of());

  /** One key of a pool. */
  @Shorthand("key")
  public record PooledKey(
      @Key(about = "the key", required = true) Secret key,
      @Key(about = "its share of the requests", initial = "100", min = "1", max = "1000000")
          int weight) {}

  boolean isEmpty() {
    return apiKey == null && apiKeys.isEmpty();
  }

  List<Credential> credentials() {
    return apiKey != null
        ? List.of(Credential.of(apiKey))
        : apiKeys.stream().map(key -> new Credential(key.key(), key.weight())).toList();
  }
}

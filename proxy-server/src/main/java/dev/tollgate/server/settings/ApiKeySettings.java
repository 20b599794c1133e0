package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Shorthand;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** API keys that authenticate requests to a provider: one key, or a pool chosen from by weight. */
public record ApiKeySettings(
    @Key(about = "API key; null: no key is sent") @Nullable Secret apiKey,
    @Key(about = "weighted pool of API keys, instead of api_key") List<PooledKey> apiKeys) {
  static final ApiKeySettings NONE = new ApiKeySettings(null, List.of());

  /** Entry of {@code api_keys}: one provider key of a pool, with its weight. */
  @Shorthand("key")
  public record PooledKey(
      @Key(about = "API key", required = true) Secret key,
      @Key(
              about = "share of the requests, relative to the other keys",
              initial = "100",
              min = "1",
              max = "1000000")
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

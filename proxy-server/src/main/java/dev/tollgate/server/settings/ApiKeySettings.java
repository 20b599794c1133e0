package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.Shorthand;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** API keys that authenticate requests to a provider: one key, or a pool chosen from by weight. */
public record ApiKeySettings(
    @Key(
            about =
                "API key; null: no key is sent; an empty variable: the provider is not configured",
            keepsEmpty = true)
        @Nullable Secret apiKey,
    @Key(about = "weighted pool of API keys, instead of api_key") List<PooledKey> apiKeys) {
  static final ApiKeySettings NONE = new ApiKeySettings(null, List.of());

  /** Entry of {@code api_keys}: one provider key of a pool, with its weight. */
  @Shorthand("key")
  public record PooledKey(
      @Key(about = "API key; an empty one is left out", required = true, keepsEmpty = true)
          Secret key,
      @Key(
              about = "share of the requests, relative to the other keys",
              initial = "100",
              min = "1",
              max = "1000000")
          int weight) {}

  /** True if no key is given, not even an empty one. */
  boolean isEmpty() {
    return apiKey == null && apiKeys.isEmpty();
  }

  /** False if keys are given and all of them are empty. */
  boolean areConfigured() {
    return isEmpty() || !credentials().isEmpty();
  }

  List<Credential> credentials() {
    Stream<Credential> given =
        apiKey != null
            ? Stream.of(Credential.of(apiKey))
            : apiKeys.stream().map(key -> new Credential(key.key(), key.weight()));
    return given.filter(key -> !key.key().reveal().isEmpty()).toList();
  }
}

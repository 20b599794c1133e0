package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.AccessToken;
import dev.tollgate.core.catalog.Credential;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.value.HttpUrl;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Common interface of the settings of all provider types that are reached over the network. Checks
 * and catalog know a type only by these methods and its {@link ProviderTraits}.
 */
public interface RemoteProvider {
  HttpUrl baseUrl();

  ConnectionSettings connection();

  /** Returns the extra headers of all requests. */
  Map<String, Secret> headers();

  private ProviderTraits traits() {
    return Objects.requireNonNull(getClass().getAnnotation(ProviderTraits.class));
  }

  /** Returns the name of the dialect, which may depend on the settings. */
  default String dialect() {
    return traits().dialect();
  }

  /** Returns the modalities of the models that routes may name. */
  default Set<Modality> modalities() {
    Modality[] declared = traits().modalities();
    return declared.length == 0 ? EnumSet.allOf(Modality.class) : Set.of(declared);
  }

  /** Returns why a route cannot use a model; empty if no reason is known. */
  default String modelProblem(Modality modality, String model) {
    return "";
  }

  /** Returns the path prefix of all requests. */
  default String basePath() {
    return baseUrl().path();
  }

  /** Returns the API keys; a type without them has credentials of its own. */
  default ApiKeySettings keys() {
    return ApiKeySettings.NONE;
  }

  /**
   * Returns the header that is written from the credentials, in lower case; empty if there is none.
   */
  default String keyHeader() {
    return hasCredentials() ? traits().keyHeader() : "";
  }

  /** True if there is a key, even one that is not complete. */
  default boolean hasCredentials() {
    return !keys().isEmpty();
  }

  /** False if a key is given and is empty, such as that of a variable without a value. */
  default boolean isConfigured() {
    return keys().areConfigured();
  }

  /** Returns the credentials to choose from; {@code tokens} has those of service accounts. */
  default List<Credential> credentials(Function<Secret, AccessToken> tokens) {
    return keys().credentials();
  }

  /** Returns the section {@code quirks}. */
  QuirkSettings quirks();

  /** Returns the quirks with what other keys add to them. */
  default Provider.Quirks catalogQuirks() {
    return quirks().toCatalog();
  }

  /** Returns the longest reply with images, in bytes; configurable where images are served. */
  default int maxImageReplyBytes() {
    return Provider.IMAGE_REPLY_BYTES_MAX;
  }

  /** Reports the problems that no single key has and that only this type knows. */
  default void check(SectionProblems problems) {}
}

package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKey.KeyScope;

/** Decides if the scope of an API key allows a model (docs/decisions/keys.md#scope). */
public final class KeyScopes {
  private KeyScopes() {}

  /**
   * True if the scope of the key allows the model. It is called before the model is looked up: a
   * model outside the scope is 403 even if it does not exist.
   */
  public static boolean allowsModel(ApiKey key, String modelId) {
    return allowsModel(key.scope(), modelId);
  }

  private static boolean allowsModel(KeyScope scope, String modelId) {
    return scope.allowedModels().isEmpty() || scope.allowedModels().contains(modelId);
  }

  public static boolean allowsModality(ApiKey key, Model model) {
    return allowsModality(key.scope(), model);
  }

  private static boolean allowsModality(KeyScope scope, Model model) {
    return scope.allowedModalities().isEmpty()
        || scope.allowedModalities().contains(model.modality().wire());
  }

  public static boolean isVisible(ApiKey key, Model model) {
    return isVisible(key.scope(), model);
  }

  /** True if keys with this scope may use the model. */
  public static boolean isVisible(KeyScope scope, Model model) {
    return allowsModel(scope, model.id().toString()) && allowsModality(scope, model);
  }
}

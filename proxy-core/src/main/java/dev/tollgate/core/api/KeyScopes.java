package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.tenant.ApiKey;

/** Decides if the scope of an API key allows a model (docs/decisions/keys.md#scope). */
public final class KeyScopes {
  private KeyScopes() {}

  /**
   * True if the scope of the key allows the model. It is called before the model is looked up: a
   * model outside the scope is 403 even if it does not exist.
   */
  public static boolean allowsModel(ApiKey key, String modelId) {
    return key.scope().allowedModels().isEmpty() || key.scope().allowedModels().contains(modelId);
  }

  public static boolean allowsModality(ApiKey key, Model model) {
    return key.scope().allowedModalities().isEmpty()
        || key.scope().allowedModalities().contains(model.modality().wire());
  }

  public static boolean isVisible(ApiKey key, Model model) {
    return allowsModel(key, model.id().toString()) && allowsModality(key, model);
  }
}

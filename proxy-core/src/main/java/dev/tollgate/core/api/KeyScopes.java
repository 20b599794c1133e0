package dev.tollgate.core.api;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.tenant.ApiKey;

/** Whether a key's scope reaches a model (docs/decisions/keys.md#scope). */
public final class KeyScopes {
  private KeyScopes() {}

  /** Asked before the model is looked up: outside the list is 403 even if it does not exist. */
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

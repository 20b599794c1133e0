package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.KeyScopes;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.routing.RoutingPreferences;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Check that the models that a request names are in its key's scope, exist and have the modality.
 */
public final class ModelScope {
  private ModelScope() {}

  /**
   * Adds the requested model and its fallbacks. Returns the first fault; null if all are usable.
   */
  static @Nullable public Fault add(
      ModelId asked,
      RoutingPreferences routing,
      Modality modality,
      ExchangeRequest request,
      List<Model> models) {
    Fault fault = add(asked, "model", modality, request, models);
    List<ModelId> others = routing.models();
    for (int i = 0; i < others.size() && fault == null; i++) {
      String param = Param.of("routing").dot("models").at(i).toString();
      fault = add(others.get(i), param, modality, request, models);
    }
    return fault;
  }

  /** Adds a model once; checks first its scope, then its existence, then its modality. */
  private static @Nullable Fault add(
      ModelId id, String param, Modality modality, ExchangeRequest request, List<Model> models) {
    if (!KeyScopes.allowsModel(request.key(), id.toString())) {
      return about(ErrorCode.MODEL_NOT_ALLOWED, param, "the key may not use the model " + id);
    }
    Optional<Model> found = request.catalog().model(id);
    if (found.isEmpty()) {
      return about(ErrorCode.MODEL_NOT_FOUND, param, "there is no model " + id);
    }
    Model model = found.get();
    if (!KeyScopes.allowsModality(request.key(), model)) {
      return about(
          ErrorCode.MODALITY_NOT_ALLOWED,
          param,
          "the key may not use " + model.modality().wire() + " models");
    }
    if (model.modality() != modality) {
      String is = model.modality().wire();
      return Fault.invalid(param, id + " is of modality " + is + ", not " + modality.wire());
    }
    if (!models.contains(model)) {
      models.add(model);
    }
    return null;
  }

  private static Fault about(ErrorCode code, String param, String message) {
    return new Fault(code, message, param, null, 0, false, Map.of());
  }
}

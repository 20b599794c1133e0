package dev.tollgate.core.exchange.frame;

import dev.tollgate.core.api.RequestTarget;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.ModelNames;
import dev.tollgate.core.catalog.ModelNames.Resolution;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.tenant.ApiKey.KeyScope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Look-up of the models that a request names: they must be in its key's scope, exist and have the
 * modality.
 */
public final class ModelScope {
  private ModelScope() {}

  /**
   * Adds the requested model and its fallbacks. Returns the first fault; null if all are usable.
   */
  static @Nullable public Fault add(
      RequestTarget asked, Modality modality, ExchangeRequest request, List<Model> models) {
    Fault fault = add(asked.model(), "model", modality, request, models);
    List<String> others = asked.routing().models();
    for (int i = 0; i < others.size() && fault == null; i++) {
      String param = Param.of("routing").dot("models").at(i).toString();
      fault = add(others.get(i), param, modality, request, models);
    }
    return fault;
  }

  private static @Nullable Fault add(
      String name, String param, Modality modality, ExchangeRequest request, List<Model> models) {
    KeyScope scope = request.key().scope();
    ModelNames names = request.catalog().names();
    return switch (names.resolve(name, scope)) {
      case Resolution.Found(Model model, String id) ->
          scope.allowsModel(id)
              ? add(model, param, modality, scope, models)
              : notAllowed(name, param);
      case Resolution.Ambiguous(List<String> candidates) -> ambiguous(name, param, candidates);
      case Resolution.Unknown _ ->
          isOutside(scope, name)
              ? notAllowed(name, param)
              : about(ErrorCode.MODEL_NOT_FOUND, param, "there is no model " + name)
                  .withDetails(Map.of("near", names.near(name, scope)));
    };
  }

  /** Adds a model once; checks its modality, which the key must allow. */
  private static @Nullable Fault add(
      Model model, String param, Modality modality, KeyScope scope, List<Model> models) {
    String is = model.modality().wire();
    if (!scope.allowsModality(is)) {
      return about(ErrorCode.MODALITY_NOT_ALLOWED, param, "the key may not use " + is + " models");
    }
    if (model.modality() != modality) {
      return Fault.invalid(
          param, model.id() + " is of modality " + is + ", not " + modality.wire());
    }
    if (!models.contains(model)) {
      models.add(model);
    }
    return null;
  }

  /** True if the key must not learn that no model has this name: it is none of its scope's ids. */
  private static boolean isOutside(KeyScope scope, String name) {
    return !scope.allowedModels().isEmpty() && (name.indexOf('/') < 0 || !scope.allowsModel(name));
  }

  private static Fault notAllowed(String name, String param) {
    return about(ErrorCode.MODEL_NOT_ALLOWED, param, "the key may not use the model " + name);
  }

  private static Fault ambiguous(String name, String param, List<String> candidates) {
    Fault fault =
        Fault.invalid(param, name + " is the name of several models: give the id of one of them");
    Map<String, Object> details = new HashMap<>(fault.details());
    details.put("candidates", candidates);
    return fault.withDetails(details);
  }

  private static Fault about(ErrorCode code, String param, String message) {
    return new Fault(code, message, param, null, 0, false, Map.of());
  }
}

package dev.tollgate.core.api.account;

import dev.tollgate.core.api.Issues;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.ModelNames.Resolution;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.tenant.ApiKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Creates the JSON replies to GET /v1/models and GET /v1/models/{vendor}/{name}
 * (docs/decisions/models.md#list). The replies contain only the models that the key may use; a
 * model outside its scope is indistinguishable from an absent one.
 */
public final class ModelList {
  private static final int LIMIT_MAX = 1_000;

  private ModelList() {}

  /** Result of a query of the model list, which needs no provider. */
  public sealed interface QueryResult {
    record Found(JsonBytes json) implements QueryResult {}

    record Refused(Fault fault) implements QueryResult {}
  }

  /**
   * Returns the list, or the error in the query.
   *
   * @param query the raw query: {@code offset}, {@code limit}, {@code modality}
   */
  public static QueryResult list(Catalog catalog, ApiKey key, String query) {
    Map<String, String> parameters = parameters(query);
    var issues = new Issues();
    int offset = number(parameters, "offset", 0, Integer.MAX_VALUE, issues);
    int limit = number(parameters, "limit", LIMIT_MAX, LIMIT_MAX, issues);
    String modality = parameters.get("modality");
    if (modality != null && Modality.parse(modality).isEmpty()) {
      issues.add("modality", "is not a modality");
    }
    if (!issues.isEmpty()) {
      return new QueryResult.Refused(issues.toFault());
    }
    List<Model> visible =
        catalog.models().stream()
            .filter(model -> model.isUsableWith(key.scope()))
            .filter(model -> modality == null || model.modality().wire().equals(modality))
            .toList();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("object", "list");
    body.put(
        "data",
        visible.stream().skip(offset).limit(limit).map(model -> item(catalog, model)).toList());
    body.put("total_count", visible.size());
    body.put("links", next(offset, limit, visible.size(), modality));
    return new QueryResult.Found(JsonBytes.value(body));
  }

  /** Returns one item of the list, as a tree to write as JSON. */
  public static Map<String, Object> item(Catalog catalog, Model model) {
    return ModelEntry.of(model, catalog.names().aliasesOf(model.id()));
  }

  private static Map<String, Object> next(
      int offset, int limit, int total, @Nullable String modality) {
    Map<String, Object> links = new LinkedHashMap<>();
    boolean more = (long) offset + limit < total && limit > 0;
    links.put(
        "next",
        more
            ? "/v1/models?offset="
                + (offset + limit)
                + "&limit="
                + limit
                + (modality == null ? "" : "&modality=" + modality)
            : null);
    return links;
  }

  /** Returns one model by the rest of the path: its id, or another of its names. */
  public static QueryResult one(Catalog catalog, ApiKey key, String name) {
    return catalog.names().resolve(name, key.scope()) instanceof Resolution.Found(Model model, _)
            && model.isUsableWith(key.scope())
        ? new QueryResult.Found(JsonBytes.value(item(catalog, model)))
        : new QueryResult.Refused(Fault.of(ErrorCode.NOT_FOUND, "there is no such model"));
  }

  private static Map<String, String> parameters(String query) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        parameters.put(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return parameters;
  }

  private static int number(
      Map<String, String> parameters, String name, int otherwise, int max, Issues issues) {
    String text = parameters.get(name);
    if (text == null || text.isEmpty()) {
      return otherwise;
    }
    if (text.length() > 9 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      issues.add(name, "must be a non-negative integer");
      return otherwise;
    }
    return Math.min(max, Integer.parseInt(text));
  }
}

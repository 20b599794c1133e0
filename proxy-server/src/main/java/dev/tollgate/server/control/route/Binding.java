package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.account.Refused;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Binding of a call's query and body to the records that its route names. */
public final class Binding {
  private Binding() {}

  /**
   * Parses a body; one that may be empty is an empty object then.
   *
   * @throws Refused 400 if it is not JSON
   */
  public static JsonNode parse(RouteSpec spec, byte[] body) {
    if (body.length > 0) {
      return ControlJson.parse(body);
    }
    if (spec.body() != null
        && RecordMembers.flat(spec.body()).stream().anyMatch(RecordMembers.Member::isRequired)) {
      throw Refused.of(ErrorCode.INVALID_JSON, "The call needs a JSON body.");
    }
    return JsonNodeFactory.instance.objectNode();
  }

  /**
   * Returns the record of a body; null if the route has none.
   *
   * @throws Refused 400 with every problem, also for members where there is to be no body
   */
  public static @Nullable Record body(RouteSpec spec, JsonNode json) {
    return RecordBinder.bind(spec.body(), json, List.of());
  }

  /**
   * Returns the record of a query; null if the route has none.
   *
   * @throws Refused 400 with every problem
   */
  public static @Nullable Record query(RouteSpec route, String query) {
    return QueryBinder.bind(route, query);
  }
}

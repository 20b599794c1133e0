package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.control.route.RecordMembers.Member;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Binding of a query string to a record, whose members the parameters are; a member that is a list
 * takes all values of its parameter, and one of type {@link PageRequest} takes {@code limit} and
 * {@code cursor}. It finds all problems at once.
 */
final class QueryBinder {
  private static final int PARAMETERS_MAX = 200;
  private static final String LIMIT = "limit";
  private static final String CURSOR = "cursor";

  private final Map<String, List<String>> left;
  private final String filters;
  private final List<Issue> issues = new ArrayList<>();

  private QueryBinder(RouteSpec route, Map<String, List<String>> parameters) {
    this.left = new TreeMap<>(parameters);
    this.filters =
        route.name()
            + left.entrySet().stream()
                .filter(each -> !each.getKey().equals(LIMIT) && !each.getKey().equals(CURSOR))
                .map(Object::toString)
                .collect(Collectors.joining("\n", "\n", ""));
  }

  /**
   * Returns the record of a route's query; null if the route has none.
   *
   * @throws Refused 400 with every problem
   */
  static @Nullable Record bind(RouteSpec route, String query) {
    var binder = new QueryBinder(route, parameters(query));
    Class<? extends Record> type = route.query();
    ObjectNode object = binder.object(type == null ? List.of() : RecordMembers.flat(type));
    binder.left.keySet().forEach(name -> binder.issues.add(new Issue(name, "is unknown")));
    return RecordBinder.bind(type, object, binder.issues);
  }

  private static Map<String, List<String>> parameters(String query) {
    try {
      return new QueryStringDecoder(query, StandardCharsets.UTF_8, false, PARAMETERS_MAX)
          .parameters();
    } catch (IllegalArgumentException e) {
      throw Refused.invalid("query", "is not a valid query string");
    }
  }

  /** Takes the parameters of members, as the JSON object that would have the same values. */
  private ObjectNode object(List<Member> members) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    for (Member member : members) {
      String name = member.name();
      Class<?> type = RecordMembers.raw(member.type());
      if (type == PageRequest.class) {
        object.putPOJO(name, page());
      } else if (type == List.class) {
        Class<?> item = RecordMembers.raw(RecordMembers.argument(member.type()));
        List<String> texts = left.remove(name);
        ArrayNode items = object.putArray(name);
        (texts == null ? List.<String>of() : texts).forEach(text -> items.add(value(item, text)));
      } else {
        String text = single(name);
        if (text != null) {
          object.set(name, value(type, text));
        }
      }
    }
    return object;
  }

  private @Nullable String single(String name) {
    List<String> texts = left.remove(name);
    if (texts == null) {
      return null;
    }
    if (texts.size() > 1) {
      issues.add(new Issue(name, "must not be repeated"));
    }
    return texts.getFirst();
  }

  /** Returns a number or a truth value where the type asks for one and the text is one. */
  private static JsonNode value(Class<?> type, String text) {
    JsonNodeFactory json = JsonNodeFactory.instance;
    if (RecordMembers.isInteger(type)) {
      try {
        return json.numberNode(Long.parseLong(text));
      } catch (NumberFormatException _) {
        return json.textNode(text);
      }
    }
    boolean isTruth = type == boolean.class || type == Boolean.class;
    return isTruth && (text.equals("true") || text.equals("false"))
        ? json.booleanNode(text.equals("true"))
        : json.textNode(text);
  }

  private PageRequest page() {
    int limit = limit(single(LIMIT));
    String cursor = single(CURSOR);
    if (cursor == null) {
      return new PageRequest(limit, null, filters);
    }
    Optional<String> position = Cursor.decode(filters, cursor);
    if (position.isEmpty()) {
      issues.add(new Issue(CURSOR, "is not a cursor of this list with these filters"));
    }
    return new PageRequest(limit, position.orElse(null), filters);
  }

  private int limit(@Nullable String text) {
    int limit = PageRequest.LIMIT_INITIAL;
    if (text != null) {
      limit = text.matches("\\d{1,4}") ? Integer.parseInt(text) : 0;
    }
    if (limit < 1 || limit > PageRequest.LIMIT_MAX) {
      issues.add(new Issue(LIMIT, "must be from 1 to " + PageRequest.LIMIT_MAX));
    }
    return limit;
  }
}

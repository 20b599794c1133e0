package dev.tollgate.server.control.route;

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
 * Binding of a query string to a record. It finds all problems at once: unknown and missing
 * parameters, repeated ones that are no lists, wrong values. A component of type {@link
 * PageRequest} takes {@code limit} and {@code cursor}; one of another record takes the parameters
 * of that record.
 */
final class QueryBinder {
  private static final int PARAMETERS_MAX = 200;
  private static final String LIMIT = "limit";
  private static final String CURSOR = "cursor";

  private final RouteSpec route;
  private final Map<String, List<String>> left;
  private final String filters;
  private final List<Issue> issues = new ArrayList<>();

  private QueryBinder(RouteSpec route, Map<String, List<String>> parameters) {
    this.route = route;
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
    Record bound = binder.bind();
    if (!binder.issues.isEmpty()) {
      throw Refused.invalid(binder.issues);
    }
    return bound;
  }

  private static Map<String, List<String>> parameters(String query) {
    try {
      return new QueryStringDecoder(query, StandardCharsets.UTF_8, false, PARAMETERS_MAX)
          .parameters();
    } catch (IllegalArgumentException e) {
      throw Refused.invalid("query", "is not a valid query string");
    }
  }

  private @Nullable Record bind() {
    Class<? extends Record> type = route.query();
    Values values = type == null ? null : values(type);
    left.keySet().forEach(name -> issues.add(new Issue(name, "is unknown")));
    return values == null || !issues.isEmpty() ? null : values.create();
  }

  /** Values of a record's components, which is created only if there is no problem. */
  private record Values(Class<? extends Record> type, List<? extends @Nullable Object> all) {
    Record create() {
      return RecordMembers.create(
          type,
          all.stream().map(value -> value instanceof Values part ? part.create() : value).toList());
    }
  }

  private Values values(Class<? extends Record> type) {
    List<@Nullable Object> all = new ArrayList<>();
    for (Member member : RecordMembers.of(type)) {
      Class<?> raw = RecordMembers.raw(member.type());
      if (raw == PageRequest.class) {
        all.add(page());
      } else {
        all.add(isPart(raw) ? values(raw.asSubclass(Record.class)) : value(member));
      }
    }
    return new Values(type, all);
  }

  /** True if a component's parameters are those of its own components. */
  static boolean isPart(Class<?> type) {
    return type.isRecord() && type != PageRequest.class && Scalars.of(type).isEmpty();
  }

  private PageRequest page() {
    String limit = single(LIMIT);
    String cursor = single(CURSOR);
    int rows = PageRequest.LIMIT_INITIAL;
    if (limit != null) {
      Long number = integer(LIMIT, limit, PageRequest.LIMIT_MAX);
      if (number != null && number < 1) {
        issues.add(new Issue(LIMIT, "must be from 1 to " + PageRequest.LIMIT_MAX));
      }
      rows = number == null ? rows : number.intValue();
    }
    if (cursor == null) {
      return new PageRequest(rows, null, filters);
    }
    Optional<String> position = Cursor.decode(filters, cursor);
    if (position.isEmpty()) {
      issues.add(new Issue(CURSOR, "is not a cursor of this list with these filters"));
    }
    return new PageRequest(rows, position.orElse(null), filters);
  }

  private @Nullable Object value(Member member) {
    Class<?> raw = RecordMembers.raw(member.type());
    if (raw == List.class) {
      return list(RecordMembers.raw(RecordMembers.argument(member.type())), member.name());
    }
    String text = single(member.name());
    if (text == null) {
      if (member.isRequired()) {
        issues.add(new Issue(member.name(), "is missing"));
      }
      return null;
    }
    return scalar(raw, member.name(), text);
  }

  private List<Object> list(Class<?> element, String name) {
    List<String> texts = left.remove(name);
    List<Object> values = new ArrayList<>();
    for (String text : texts == null ? List.<String>of() : texts) {
      Object value = scalar(element, name, text);
      if (value != null) {
        values.add(value);
      }
    }
    return List.copyOf(values);
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

  private @Nullable Object scalar(Class<?> type, String name, String text) {
    if (type == long.class || type == Long.class) {
      return integer(name, text, BodyBinder.INTEGER_MAX);
    }
    if (type == int.class || type == Integer.class) {
      Long number = integer(name, text, Integer.MAX_VALUE);
      return number == null ? null : Integer.valueOf(number.intValue());
    }
    if (type == boolean.class || type == Boolean.class) {
      return flag(name, text);
    }
    Scalars.Text texts =
        Scalars.of(type).orElseThrow(() -> new IllegalStateException("a query with a " + type));
    try {
      if (text.indexOf('\0') < 0) {
        return texts.parse().apply(text);
      }
    } catch (IllegalArgumentException _) {
      // reported below
    }
    issues.add(new Issue(name, "must be " + texts.expected()));
    return null;
  }

  private @Nullable Long integer(String name, String text, long max) {
    try {
      long number = Long.parseLong(text);
      if (number >= -max && number <= max) {
        return number;
      }
    } catch (NumberFormatException _) {
      // reported below
    }
    issues.add(new Issue(name, "must be an integer of at most " + max));
    return null;
  }

  private @Nullable Boolean flag(String name, String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> {
        issues.add(new Issue(name, "must be true or false"));
        yield null;
      }
    };
  }
}

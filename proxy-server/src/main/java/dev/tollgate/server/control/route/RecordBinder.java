package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.POJONode;
import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.control.route.RecordMembers.Member;
import java.lang.reflect.AnnotatedType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Binding of a JSON object to a record. It finds all problems at once: unknown and missing members,
 * wrong types, numbers out of range.
 */
final class RecordBinder {
  /** Largest integer that every JSON parser reads exactly. */
  private static final long INTEGER_MAX = (1L << 53) - 1;

  private static final int ISSUES_MAX = 100;
  private static final int ITEMS_MAX = 1_000;

  /** Amounts of money that may be negative: corrections of a balance. */
  private static final String SIGNED_AMOUNT = "amountMicro";

  private final List<Issue> issues;

  private RecordBinder(List<Issue> issues) {
    this.issues = issues;
  }

  /** Record of a call that takes no members. */
  private record Nothing() {}

  /**
   * Returns the record of an object.
   *
   * @param type null: the object must be empty, and there is no record
   * @param known problems that were found before
   * @throws Refused 400 with every problem
   */
  static @Nullable Record bind(
      @Nullable Class<? extends Record> type, JsonNode object, List<Issue> known) {
    var binder = new RecordBinder(new ArrayList<>(known));
    Class<? extends Record> asked = type == null ? Nothing.class : type;
    Record bound = binder.record(asked, object, "");
    if (!binder.issues.isEmpty()) {
      List<Issue> found = binder.issues;
      throw Refused.invalid(found.subList(0, Math.min(found.size(), ISSUES_MAX)));
    }
    return type == null ? null : bound;
  }

  private <T> @Nullable T record(Class<T> type, JsonNode node, String path) {
    if (!node.isObject()) {
      add(path.isEmpty() ? null : path, "must be an object");
      return null;
    }
    T bound = members(type, node, path);
    Set<String> known =
        RecordMembers.flat(type).stream().map(Member::name).collect(Collectors.toSet());
    for (String name : (Iterable<String>) node::fieldNames) {
      if (!known.contains(name)) {
        add(join(path, name), "is unknown");
      }
    }
    return bound;
  }

  private <T> @Nullable T members(Class<T> type, JsonNode node, String path) {
    int before = issues.size();
    List<@Nullable Object> values = new ArrayList<>();
    for (Member member : RecordMembers.of(type)) {
      values.add(
          member.isUnwrapped()
              ? members(RecordMembers.raw(member.type()), node, path)
              : member(member, node.get(member.name()), join(path, member.name())));
    }
    return issues.size() == before ? RecordMembers.create(type, values) : null;
  }

  private @Nullable Object member(Member member, @Nullable JsonNode node, String path) {
    if (node == null) {
      if (member.isRequired()) {
        add(path, "is missing");
      }
      return member.isPatch() ? Patch.keep() : null;
    }
    if (node.isNull()) {
      if (!member.isNullable()) {
        add(path, "must not be null");
      }
      return member.isPatch() ? set(null) : null;
    }
    Object value = value(member.type(), node, path);
    if (value instanceof Long amount && isMoney(member) && amount < 0) {
      add(path, "must not be negative");
    }
    return member.isPatch() ? set(value) : value;
  }

  @SuppressWarnings("NullAway") // null is a value of patches whose argument is nullable
  private static Patch<?> set(@Nullable Object value) {
    return Patch.set(value);
  }

  private static boolean isMoney(Member member) {
    return member.component().endsWith("Micro") && !member.component().equals(SIGNED_AMOUNT);
  }

  private @Nullable Object value(AnnotatedType type, JsonNode node, String path) {
    Class<?> raw = RecordMembers.raw(type);
    if (raw == long.class || raw == Long.class) {
      return integer(node, INTEGER_MAX, path);
    }
    if (raw == int.class || raw == Integer.class) {
      Long number = integer(node, Integer.MAX_VALUE, path);
      return number == null ? null : Integer.valueOf(number.intValue());
    }
    if (raw == boolean.class || raw == Boolean.class) {
      return node.isBoolean() ? node.booleanValue() : wrong(path, "must be true or false");
    }
    if (raw == List.class) {
      return list(RecordMembers.argument(type), node, path);
    }
    if (node instanceof POJONode whole) {
      return whole.getPojo();
    }
    Optional<Scalars.Text> text = Scalars.of(raw);
    return text.isPresent() ? text(text.get(), node, path) : record(raw, node, path);
  }

  private @Nullable Long integer(JsonNode node, long max, String path) {
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      add(path, "must be an integer");
      return null;
    }
    long number = node.longValue();
    if (number > max || number < -max) {
      add(path, "must be from " + -max + " to " + max);
      return null;
    }
    return number;
  }

  private @Nullable Object text(Scalars.Text type, JsonNode node, String path) {
    if (!node.isTextual()) {
      return wrong(path, "must be " + type.expected());
    }
    String text = node.textValue();
    if (text.indexOf('\0') >= 0) {
      return wrong(path, "must not contain U+0000");
    }
    try {
      return type.parse().apply(text);
    } catch (IllegalArgumentException _) {
      return wrong(path, "must be " + type.expected());
    }
  }

  private @Nullable Object list(AnnotatedType element, JsonNode node, String path) {
    if (!node.isArray()) {
      return wrong(path, "must be a list");
    }
    if (node.size() > ITEMS_MAX) {
      return wrong(path, "must have at most " + ITEMS_MAX + " items");
    }
    List<Object> items = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      String at = path + "[" + i + "]";
      JsonNode item = node.get(i);
      Object value = item.isNull() ? wrong(at, "must not be null") : value(element, item, at);
      if (value != null) {
        items.add(value);
      }
    }
    return List.copyOf(items);
  }

  private @Nullable Object wrong(String path, String message) {
    add(path, message);
    return null;
  }

  private void add(@Nullable String path, String message) {
    issues.add(new Issue(path, message));
  }

  private static String join(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}

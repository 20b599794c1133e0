package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.Refused;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Components of a record as members of a JSON object or parameters of a query. */
final class RecordMembers {
  private static final Set<Class<?>> INTEGERS =
      Set.of(long.class, Long.class, int.class, Integer.class, BigInteger.class);

  private RecordMembers() {}

  /**
   * One member.
   *
   * @param type without the patch around it, if it is one
   * @param isPatch true if the member may be left out to keep a value
   * @param isNullable true if null is a value
   * @param oneOf closed set of the member's texts; null: any
   * @param isUnwrapped true if the component is a record whose members stand in its place
   */
  record Member(
      String name,
      String component,
      AnnotatedType type,
      boolean isPatch,
      boolean isNullable,
      @Nullable OneOf oneOf,
      boolean isUnwrapped) {
    boolean isRequired() {
      return !isPatch && !isNullable;
    }
  }

  /** A record by reflection, looked up once: this took an eighth of a call's processor time. */
  private record Shape(List<Member> members, List<Member> flat, Constructor<?> constructor) {
    static Shape of(Class<?> type) {
      List<Member> members =
          Arrays.stream(type.getRecordComponents()).map(RecordMembers::member).toList();
      List<Member> flat =
          members.stream()
              .flatMap(
                  member ->
                      member.isUnwrapped()
                          ? RecordMembers.flat(raw(member.type())).stream()
                          : Stream.of(member))
              .toList();
      return new Shape(members, flat, constructor(type));
    }

    private static Constructor<?> constructor(Class<?> type) {
      Class<?>[] parameters =
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getType)
              .toArray(Class<?>[]::new);
      try {
        Constructor<?> constructor = type.getDeclaredConstructor(parameters);
        constructor.setAccessible(true);
        return constructor;
      } catch (NoSuchMethodException e) {
        throw new LinkageError("every record has this constructor: " + type, e);
      }
    }
  }

  private static final ClassValue<Shape> SHAPES =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return Shape.of(type);
        }
      };

  /** Returns the components of a record, one by one. */
  static List<Member> of(Class<?> type) {
    return SHAPES.get(type).members();
  }

  /** Returns the members of a record, with those that stand in the place of a component. */
  static List<Member> flat(Class<?> type) {
    return SHAPES.get(type).flat();
  }

  private static Member member(RecordComponent component) {
    AnnotatedType declared = component.getAnnotatedType();
    boolean isPatch = raw(declared) == Patch.class;
    AnnotatedType type = isPatch ? argument(declared) : declared;
    String name = component.getName();
    JsonProperty given = component.getAccessor().getAnnotation(JsonProperty.class);
    return new Member(
        given == null ? ControlJson.member(name) : given.value(),
        name,
        type,
        isPatch,
        type.isAnnotationPresent(Nullable.class),
        component.getAnnotation(OneOf.class),
        component.getAccessor().isAnnotationPresent(JsonUnwrapped.class));
  }

  static boolean isInteger(Class<?> type) {
    return INTEGERS.contains(type);
  }

  /** Returns the class of a type without its arguments. */
  static Class<?> raw(AnnotatedType type) {
    Type plain = type.getType();
    return switch (plain) {
      case Class<?> simple -> simple;
      case ParameterizedType generic -> (Class<?>) generic.getRawType();
      default -> throw new IllegalStateException("a record of a call cannot have a " + plain);
    };
  }

  /** Returns the only argument of a generic type. */
  static AnnotatedType argument(AnnotatedType type) {
    return ((AnnotatedParameterizedType) type).getAnnotatedActualTypeArguments()[0];
  }

  /** Returns the last argument of a generic type: of a map that of its values. */
  static AnnotatedType lastArgument(AnnotatedType type) {
    AnnotatedType[] arguments =
        ((AnnotatedParameterizedType) type).getAnnotatedActualTypeArguments();
    return arguments[arguments.length - 1];
  }

  /**
   * Returns a record with its values.
   *
   * @throws Refused 400 if the record refuses them
   */
  static <T> T create(Class<T> type, List<? extends @Nullable Object> values) {
    try {
      return type.cast(SHAPES.get(type).constructor().newInstance(values.toArray()));
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Refused refused) {
        throw refused;
      }
      throw new LinkageError("a record of a call only checks its values: " + type, e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a record of a call only holds its values: " + type, e);
    }
  }
}

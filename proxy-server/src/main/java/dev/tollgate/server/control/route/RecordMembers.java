package dev.tollgate.server.control.route;

import static java.lang.annotation.ElementType.RECORD_COMPONENT;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.Patch;
import java.lang.annotation.Retention;
import java.lang.annotation.Target;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Components of a record as members of a JSON object or parameters of a query. */
final class RecordMembers {
  private RecordMembers() {}

  /**
   * One member.
   *
   * @param type without the patch around it, if it is one
   * @param isPatch true if the member may be left out to keep a value
   * @param isNullable true if null is a value
   * @param oneOf closed set of the member's texts; null: any
   */
  record Member(
      String name,
      String component,
      AnnotatedType type,
      boolean isPatch,
      boolean isNullable,
      @Nullable OneOf oneOf) {
    boolean isRequired() {
      return !isPatch && !isNullable;
    }
  }

  static List<Member> of(Class<?> type) {
    return Arrays.stream(type.getRecordComponents()).map(RecordMembers::member).toList();
  }

  private static Member member(RecordComponent component) {
    AnnotatedType declared = component.getAnnotatedType();
    boolean isPatch = raw(declared) == Patch.class;
    AnnotatedType type = isPatch ? argument(declared) : declared;
    String name = component.getName();
    MemberName given = component.getAnnotation(MemberName.class);
    return new Member(
        given == null ? ControlJson.member(name) : given.value(),
        name,
        type,
        isPatch,
        type.isAnnotationPresent(Nullable.class),
        component.getAnnotation(OneOf.class));
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

  static <T> T create(Class<T> type, List<? extends @Nullable Object> values) {
    Class<?>[] parameters =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      Constructor<T> constructor = type.getDeclaredConstructor(parameters);
      constructor.setAccessible(true);
      return constructor.newInstance(values.toArray());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a record of a call only holds its values: " + type, e);
    }
  }

  /** Name of a JSON member whose component cannot have it, because it is a word of the language. */
  @Retention(RUNTIME)
  @Target(RECORD_COMPONENT)
  @interface MemberName {
    String value();
  }
}

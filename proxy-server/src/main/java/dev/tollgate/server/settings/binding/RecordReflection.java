package dev.tollgate.server.settings.binding;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reflection on settings records: creates a record from the values of its keys and reads them back.
 */
final class RecordReflection {
  private RecordReflection() {}

  /** Returns the record of the values, which include those of flattened components in order. */
  static Object create(Class<?> type, List<? extends @Nullable Object> values) {
    return create(type, values.iterator());
  }

  private static Object create(Class<?> type, Iterator<? extends @Nullable Object> values) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] parameters =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    @Nullable Object[] arguments = new @Nullable Object[components.length];
    for (int i = 0; i < components.length; i++) {
      boolean flattened = components[i].isAnnotationPresent(Flattened.class);
      arguments[i] = flattened ? create(parameters[i], values) : values.next();
    }
    try {
      return type.getDeclaredConstructor(parameters).newInstance(arguments);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a settings record only holds its values: " + type, e);
    }
  }

  /** Returns the value at the end of a path of components, of which only the last may be null. */
  static @Nullable Object component(Object owner, List<String> path) {
    try {
      Object holder = owner;
      for (String name : path.subList(0, path.size() - 1)) {
        holder = Objects.requireNonNull(holder.getClass().getMethod(name).invoke(holder));
      }
      return holder.getClass().getMethod(path.getLast()).invoke(holder);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no such component: " + path, e);
    }
  }
}

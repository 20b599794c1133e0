package dev.tollgate.server.settings.binding;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes records from values and takes them apart again. */
final class RecordReflection {
  private RecordReflection() {}

  static Object create(Class<? extends Record> type, List<? extends @Nullable Object> values) {
    Class<?>[] parameters =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      return type.getDeclaredConstructor(parameters).newInstance(values.toArray());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a settings record only holds its values: " + type, e);
    }
  }

  static @Nullable Object component(Object owner, String name) {
    try {
      return owner.getClass().getMethod(name).invoke(owner);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no such component: " + name, e);
    }
  }
}

package dev.tollgate.server.settings.binding;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Key that selects a section of a sealed interface by its value. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface TaggedBy {
  /** The key. */
  String value();

  /** Effect of the key, for the schema. */
  String about();
}

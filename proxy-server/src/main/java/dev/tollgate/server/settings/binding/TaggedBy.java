package dev.tollgate.server.settings.binding;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Annotation of a sealed interface of sections: the key, such as {@code type}, whose value selects
 * the record.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface TaggedBy {
  /** Name of the key. */
  String value();

  /** Effect of the key, for the schema. */
  String about();
}

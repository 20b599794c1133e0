package dev.tollgate.server.settings.binding;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a sealed interface of sections: the key whose value says which of them is written. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface TaggedBy {
  /** The key. */
  String value();

  /** What the key decides, for schema and reference. */
  String about();
}

package dev.tollgate.server.account;

import static java.lang.annotation.ElementType.RECORD_COMPONENT;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/**
 * Closed set of texts that a component of a reply or a query has one of, or a list of, for the
 * API's description.
 */
@Retention(RUNTIME)
@Target(RECORD_COMPONENT)
public @interface OneOf {
  /** Enums whose constants are in the set, by their names on the wire. */
  Class<? extends Enum<?>>[] value() default {};

  /** Further texts of the set. */
  String[] texts() default {};
}

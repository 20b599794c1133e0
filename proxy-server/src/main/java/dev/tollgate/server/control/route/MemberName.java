package dev.tollgate.server.control.route;

import static java.lang.annotation.ElementType.RECORD_COMPONENT;
import static java.lang.annotation.RetentionPolicy.RUNTIME;

import java.lang.annotation.Retention;
import java.lang.annotation.Target;

/** Name of a JSON member whose component cannot have it, because it is a word of the language. */
@Retention(RUNTIME)
@Target(RECORD_COMPONENT)
public @interface MemberName {
  String value();
}

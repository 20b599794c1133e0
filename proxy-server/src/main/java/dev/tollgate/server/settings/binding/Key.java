package dev.tollgate.server.settings.binding;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes one key of the configuration on the record component that holds its value. This is the
 * only place where a key, its default and its meaning are written.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
  /** The key, where it is not the component's name in snake case. */
  String name() default "";

  /** What the key does, with its unit: one sentence for the schema and the reference. */
  String about();

  /** The default as YAML. Without one a nullable value is null, a section or collection empty. */
  String initial() default "";

  /** Whether it must be given. */
  boolean required() default false;

  /** The least value, written as in the file; for a list the least number of items. */
  String min() default "";

  /** The greatest value, written as in the file. */
  String max() default "";

  /** Whether the number is a size such as {@code 10MiB}. */
  boolean bytes() default false;

  /** For text: the regular expression it must match; {@link #expects()} says it in words. */
  String pattern() default "";

  /** For text with a pattern: what is expected, after "must be". */
  String expects() default "";

  /** Whether a single item may stand for a list of one. */
  boolean single() default false;

  /** What has to exist before any value but the default does something; empty: nothing. */
  String later() default "";

  /** Whether such a value is refused until then; else it is accepted with a warning. */
  boolean refused() default false;

  /** A value that switches the thing off, and is accepted before it exists. */
  String off() default "";

  /** Whether a change takes effect only at the next start; holds for everything inside. */
  boolean restart() default false;
}

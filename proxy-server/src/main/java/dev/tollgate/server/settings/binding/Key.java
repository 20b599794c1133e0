package dev.tollgate.server.settings.binding;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Annotation of a record component that describes its configuration key. Binder, schema and masked
 * JSON take name, default and meaning of a key from here only.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Key {
  /** The key, if it is not the component's name in snake case. */
  String name() default "";

  /** Effect and unit of the key: one sentence for the schema. */
  String about();

  /** The default as YAML. Without it a nullable value is null, a section or collection empty. */
  String initial() default "";

  /** True if the key must be given. */
  boolean required() default false;

  /** The least value, written as in a file; for a list the least number of items. */
  String min() default "";

  /** The greatest value, written as in a file. */
  String max() default "";

  /** True if the number is a size such as {@code 10MiB}. */
  boolean bytes() default false;

  /** Regular expression that a text must match; {@link #expects()} explains it in words. */
  String pattern() default "";

  /** Explanation of the pattern, to follow "must be". */
  String expects() default "";

  /** True if an empty variable is an empty text, although the value may be null. */
  boolean keepsEmpty() default false;

  /** True if a single item may be written for a list of one. */
  boolean single() default false;

  /** Missing feature that every value except the default needs; empty if there is none. */
  String later() default "";

  /** True if a value that needs the missing feature is refused; otherwise it is a warning. */
  boolean refused() default false;

  /** Value that switches the missing feature off, and is accepted without a warning. */
  String off() default "";

  /**
   * Record of the entries of a map whose keys end in {@code /*}, which the loader replaces before
   * the rest is bound.
   */
  Class<? extends Record> wildcards() default Record.class;

  /** True if a change takes effect only at the next start; also for all keys inside. */
  boolean restart() default false;
}

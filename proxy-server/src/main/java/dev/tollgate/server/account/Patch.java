package dev.tollgate.server.account;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Change of one member of an object: a request that leaves the member out keeps its value, and null
 * clears it.
 *
 * @param <T> type of the value; nullable if null clears it
 */
public sealed interface Patch<T extends @Nullable Object> {
  /** Member that the request leaves out. */
  record Keep<T extends @Nullable Object>() implements Patch<T> {}

  /** Member that gets a new value. */
  record Set<T extends @Nullable Object>(@Nullable T value) implements Patch<T> {}

  static <T extends @Nullable Object> Patch<T> keep() {
    return new Keep<>();
  }

  static <T extends @Nullable Object> Patch<T> set(@Nullable T value) {
    return new Set<>(value);
  }

  /** Returns the value, which cannot be cleared, after the change of an object. */
  default T applyTo(T current) {
    return switch (this) {
      case Keep<T> _ -> current;
      case Set<T>(T value) -> Objects.requireNonNull(value);
    };
  }

  /** Returns the value after the change of an object; null if it is cleared or was absent. */
  default @Nullable T applyToNullable(@Nullable T current) {
    return switch (this) {
      case Keep<T> _ -> current;
      case Set<T>(T value) -> value;
    };
  }

  /** True if the request names the member. */
  default boolean isSet() {
    return this instanceof Set<?>;
  }
}

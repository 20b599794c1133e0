package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;
import java.util.function.Function;

/** A request that was read from a body, or the fault to answer it with. */
public sealed interface ParseResult<R> {
  record Valid<R>(R request) implements ParseResult<R> {}

  record Refused<R>(Fault fault) implements ParseResult<R> {}

  /** Returns the next step's result for a valid request; a refusal stays. */
  default <T> ParseResult<T> then(Function<R, ParseResult<T>> next) {
    return switch (this) {
      case Valid<R>(R request) -> next.apply(request);
      case Refused<R>(Fault fault) -> new Refused<>(fault);
    };
  }
}

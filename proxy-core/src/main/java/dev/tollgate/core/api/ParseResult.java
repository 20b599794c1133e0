package dev.tollgate.core.api;

import dev.tollgate.core.fault.Fault;
import java.util.function.Function;

/** Result of parsing a request body: the valid request, or the fault that refuses it. */
public sealed interface ParseResult<R> {
  record Valid<R>(R request) implements ParseResult<R> {}

  record Refused<R>(Fault fault) implements ParseResult<R> {}

  /** Applies the next step to a valid request; a refusal is passed on. */
  default <T> ParseResult<T> then(Function<R, ParseResult<T>> next) {
    return switch (this) {
      case Valid<R>(R request) -> next.apply(request);
      case Refused<R>(Fault fault) -> new Refused<>(fault);
    };
  }
}

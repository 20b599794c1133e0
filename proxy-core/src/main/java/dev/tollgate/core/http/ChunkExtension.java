package dev.tollgate.core.http;

/**
 * Byte-by-byte validator of the extensions in a chunk-size line, {@code name[=value]} after a
 * {@code ;}. The value is a token or a quoted string, and further extensions follow further {@code
 * ;}. White space is refused.
 */
final class ChunkExtension {
  private enum State {
    NAME_FIRST,
    NAME,
    VALUE_FIRST,
    VALUE,
    QUOTED,
    ESCAPED,
    QUOTE_END
  }

  private State state = State.NAME_FIRST;

  void begin() {
    state = State.NAME_FIRST;
  }

  /** True if the line may end here. */
  boolean mayEnd() {
    return state == State.NAME || state == State.VALUE || state == State.QUOTE_END;
  }

  void accept(byte b) throws MalformedHttp {
    state =
        switch (state) {
          case NAME_FIRST -> token(b, State.NAME);
          case NAME -> b == '=' ? State.VALUE_FIRST : tokenOrNext(b, State.NAME);
          case VALUE_FIRST -> b == '"' ? State.QUOTED : token(b, State.VALUE);
          case VALUE -> tokenOrNext(b, State.VALUE);
          case QUOTED -> quoted(b);
          case ESCAPED -> text(b);
          case QUOTE_END -> next(b);
        };
  }

  private static State quoted(byte b) throws MalformedHttp {
    return b == '"' ? State.QUOTE_END : b == '\\' ? State.ESCAPED : text(b);
  }

  private static State text(byte b) throws MalformedHttp {
    return require(Grammar.isText(b), State.QUOTED);
  }

  private static State tokenOrNext(byte b, State same) throws MalformedHttp {
    return b == ';' ? State.NAME_FIRST : token(b, same);
  }

  private static State token(byte b, State next) throws MalformedHttp {
    return require(Grammar.isToken(b), next);
  }

  private static State next(byte b) throws MalformedHttp {
    return require(b == ';', State.NAME_FIRST);
  }

  private static State require(boolean sound, State next) throws MalformedHttp {
    if (!sound) {
      throw MalformedHttp.syntax("malformed chunk extension");
    }
    return next;
  }
}

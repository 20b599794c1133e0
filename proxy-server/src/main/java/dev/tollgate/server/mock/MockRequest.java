package dev.tollgate.server.mock;

import org.jspecify.annotations.Nullable;

/**
 * What the mock provider looks at in a request; two requests that are equal here get the same
 * bytes.
 *
 * @param model the model's name as it stood between its quotes
 * @param tokensMax {@code max_completion_tokens} or {@code max_tokens}; -1: not given
 * @param tool the function that the request offers first or asks for by name; null: none
 * @param mustCall whether it insists on a call
 * @param keepAlive whether the connection may serve another request
 */
record MockRequest(
    Operation operation,
    String model,
    boolean stream,
    boolean includeUsage,
    int tokensMax,
    @Nullable String tool,
    boolean mustCall,
    int promptTokens,
    boolean keepAlive) {

  /** What can be generated. */
  enum Operation {
    CHAT,
    COMPLETION
  }

  /** The function to call; null: answer with text. */
  @Nullable String calledTool() {
    return mustCall ? tool : null;
  }

  /** The same request, insisting on a call. */
  MockRequest insisting() {
    return new MockRequest(
        operation,
        model,
        stream,
        includeUsage,
        tokensMax,
        tool == null ? "lookup" : tool,
        true,
        promptTokens,
        keepAlive);
  }

  /** About four bytes to a token, as English in JSON has. */
  static int promptTokens(int bodyBytes) {
    return Math.max(1, (bodyBytes + 3) / 4);
  }
}

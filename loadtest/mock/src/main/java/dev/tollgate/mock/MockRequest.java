package dev.tollgate.mock;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the mock provider looks at in a request; two requests that are equal here get the same
 * bytes.
 *
 * @param model the model's name as it stood between its quotes
 * @param tokensMax {@code max_completion_tokens} or {@code max_tokens}; -1: not given
 * @param tool the function that the request offers first or asks for by name; null: none
 * @param toolRequired whether it insists on a call
 * @param vectors what is asked of an embedding; {@link Vectors#NONE} of anything else
 * @param audio what is asked of audio; {@link Audio#NONE} of anything else
 * @param pictures what is asked of images; {@link Pictures#NONE} of anything else
 * @param keepAlive whether the connection may serve another request
 */
record MockRequest(
    Operation operation,
    String model,
    boolean stream,
    boolean includeUsage,
    int tokensMax,
    @Nullable String tool,
    boolean toolRequired,
    int promptTokens,
    Vectors vectors,
    Audio audio,
    Pictures pictures,
    boolean keepAlive) {

  /** What can be generated. */
  enum Operation {
    CHAT,
    COMPLETION,
    EMBEDDING,
    SPEECH,
    TRANSCRIPTION,
    IMAGE
  }

  /**
   * The vectors that are asked for.
   *
   * @param texts a number for each text, equal where the texts are
   */
  record Vectors(List<Integer> texts, int dimensions, boolean base64) {
    static final Vectors NONE = new Vectors(List.of(), 0, false);
  }

  /**
   * The audio that is asked for or about.
   *
   * @param format of what is made of it; empty: the usual one
   * @param seconds how long it is, if it was sent
   */
  record Audio(String format, double seconds) {
    static final Audio NONE = new Audio("", 0);
  }

  /**
   * The pictures that are asked for.
   *
   * @param formatGiven whether the request says in which form it wants them
   * @param base64 whether that is not an address
   * @param host where the client found this provider
   */
  record Pictures(
      int count, int width, int height, boolean formatGiven, boolean base64, String host) {
    static final Pictures NONE = new Pictures(0, 0, 0, false, false, "");
    static final String SIZE_USUAL = "1024x1024";

    private static final int COUNT_MAX = 10;

    /** Of a side that is not drawn there is no picture. */
    static Pictures of(int count, String size, String format, String host) {
      int x = size.indexOf('x');
      int width = side(size.substring(0, Math.max(0, x)));
      int height = side(size.substring(x + 1));
      boolean isSupported = width > 0 && height > 0;
      return new Pictures(
          Math.clamp(count, 1, COUNT_MAX),
          isSupported ? width : 0,
          isSupported ? height : 0,
          !format.isEmpty(),
          format.equals("b64_json"),
          host);
    }

    private static int side(String digits) {
      int side = digits.matches("\\d{1,4}") ? Integer.parseInt(digits) : 0;
      return side <= Png.SIDE_MAX ? side : 0;
    }
  }

  /** The function to call; null: answer with text. */
  @Nullable String calledTool() {
    return toolRequired ? tool : null;
  }

  /** The same request, insisting on a call. */
  MockRequest withRequiredTool() {
    return new MockRequest(
        operation,
        model,
        stream,
        includeUsage,
        tokensMax,
        tool == null ? "lookup" : tool,
        true,
        promptTokens,
        vectors,
        audio,
        pictures,
        keepAlive);
  }

  /** About four bytes to a token, as English in JSON has. */
  static int promptTokens(int bodyBytes) {
    return Math.max(1, (bodyBytes + 3) / 4);
  }
}

package dev.tollgate.mock;

import dev.tollgate.mock.demo.DemoAnswer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a request to the mock provider that determine the reply; equal requests get equal bytes.
 *
 * @param model the model's name as written in the JSON, one byte per character
 * @param tokensMax {@code max_completion_tokens} or {@code max_tokens}; -1 means not given
 * @param tool the function that the request names, else the first one it offers; null means none
 * @param toolRequired whether the request requires a call
 * @param vectors parameters of an embedding request, else {@link Vectors#NONE}
 * @param audio parameters of an audio request, else {@link Audio#NONE}
 * @param pictures parameters of an image request, else {@link Pictures#NONE}
 * @param demo the answer of the demo model; null means a scripted reply
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
    @Nullable DemoAnswer demo,
    boolean keepAlive) {

  /** Kind of generation that a request asks for. */
  enum Operation {
    CHAT,
    COMPLETION,
    EMBEDDING,
    SPEECH,
    TRANSCRIPTION,
    IMAGE
  }

  /**
   * Parameters of an embedding request.
   *
   * @param texts a hash of each text
   */
  record Vectors(List<Integer> texts, int dimensions, boolean base64) {
    static final Vectors NONE = new Vectors(List.of(), 0, false);
  }

  /**
   * Parameters of a speech or transcription request.
   *
   * @param format format of the reply; empty means the default
   * @param seconds length of the uploaded audio
   */
  record Audio(String format, double seconds) {
    static final Audio NONE = new Audio("", 0);
  }

  /**
   * Parameters of an image request.
   *
   * @param formatGiven whether the request has a {@code response_format}
   * @param base64 whether the images are returned in base64 instead of as URLs
   * @param host value of the request's Host field
   */
  record Pictures(
      int count, int width, int height, boolean formatGiven, boolean base64, String host) {
    static final Pictures NONE = new Pictures(0, 0, 0, false, false, "");
    static final String SIZE_USUAL = "1024x1024";

    private static final int COUNT_MAX = 10;

    /** Parses the size; an unsupported one becomes 0 x 0. */
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

  /** Returns the function to call; null means answer with text. */
  @Nullable String calledTool() {
    if (demo != null) {
      return demo.tool();
    }
    return toolRequired ? tool : null;
  }

  /** Returns a copy of the request that requires a tool call. */
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
        demo,
        keepAlive);
  }

  /** Estimates the tokens of a body: about four bytes each, as in English JSON. */
  static int promptTokens(int bodyBytes) {
    return Math.max(1, (bodyBytes + 3) / 4);
  }
}

package dev.tollgate.core.prompt;

/**
 * Bytes of text for a number of tokens: how a model's tokenizer cuts prompts on average, or how a
 * text is likely to be cut.
 */
public record TextRatio(long bytes, long tokens) {
  /** Ratio of a model of which nothing was learned: four bytes a token. */
  public static final TextRatio USUAL = new TextRatio(4, 1);

  private static final int BYTES_PER_TOKEN_LEAST = 2;
  private static final int BYTES_PER_TOKEN_MOST = 8;
  private static final int FAR = 2;

  public TextRatio {
    if (bytes <= 0 || tokens <= 0) {
      throw new IllegalArgumentException(bytes + " bytes for " + tokens + " tokens");
    }
  }

  /** Returns this ratio, but between 2 and 8 bytes a token. */
  TextRatio clamped() {
    if (bytes < BYTES_PER_TOKEN_LEAST * tokens) {
      return new TextRatio(BYTES_PER_TOKEN_LEAST, 1);
    }
    return bytes > BYTES_PER_TOKEN_MOST * tokens ? new TextRatio(BYTES_PER_TOKEN_MOST, 1) : this;
  }

  /** Returns the likely tokens of a text. */
  long tokensOf(long textBytes) {
    return Math.ceilDiv(textBytes * tokens, bytes);
  }

  /** True if a text has less than half or more than twice the bytes a token of this ratio. */
  public boolean isFarFrom(TextRatio text) {
    long own = bytes * text.tokens;
    long its = text.bytes * tokens;
    return FAR * its < own || its > FAR * own;
  }
}

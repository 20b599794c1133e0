package dev.tollgate.core.prompt;

import dev.tollgate.core.catalog.Model;

/**
 * Size of a prompt as admission knows it, from which its tokens are estimated
 * (docs/decisions/money.md#estimates).
 *
 * @param textBytes bytes of its text
 * @param knownTokens tokens that need no estimate of text: token ids, or seconds of audio
 */
public record PromptSize(long textBytes, long knownTokens, PromptMedia media) {
  public static PromptSize ofText(long textBytes) {
    return new PromptSize(textBytes, 0, PromptMedia.NONE);
  }

  /** True if the prompt has text and nothing else. */
  boolean isTextOnly() {
    return textBytes > 0 && knownTokens == 0 && media.isEmpty();
  }

  /** Returns the likely tokens at a model, for usage that its provider did not report. */
  public long tokensLikely(Model served, TextRatio ratio) {
    return ratio.tokensOf(textBytes) + knownTokens + media.tokensLikely(served);
  }

  /**
   * Returns the tokens that the limit of tokens per minute sets aside. They follow from the request
   * alone, so that no other request decides whether this one fits.
   */
  public long tokensSetAside() {
    return TextRatio.USUAL.tokensOf(textBytes) + knownTokens + media.tokensSetAside();
  }
}

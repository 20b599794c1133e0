package dev.tollgate.core.prompt;

import dev.tollgate.core.catalog.Model;

/**
 * Size of a prompt as admission knows it, from which its tokens are estimated
 * (docs/decisions/money.md#estimates).
 *
 * @param textBytes bytes of its text, the unread ones included
 * @param unreadBytes bytes of members that are passed on unread: a provider may take them for text
 * @param knownTokens tokens that need no estimate of text: token ids, or seconds of audio
 */
public record PromptSize(long textBytes, long unreadBytes, long knownTokens, PromptMedia media) {
  // Less than a thousand tokens are not worth a wait for their count.
  private static final int UNREAD_BYTES_CERTAIN = 4_096;
  private static final int UNREAD_SHARE_CERTAIN = 4;
  private static final int UNREAD_SHARE_LEARNED = 20;

  /** Returns the size of a text together with what is passed on unread beside it. */
  public static PromptSize ofText(long readBytes, long unreadBytes) {
    return new PromptSize(readBytes + unreadBytes, unreadBytes, 0, PromptMedia.NONE);
  }

  /** True if the prompt has text and next to nothing else, so that its tokens are of this text. */
  boolean isTextOnly() {
    return textBytes > 0
        && UNREAD_SHARE_LEARNED * unreadBytes <= textBytes
        && knownTokens == 0
        && media.isEmpty();
  }

  /**
   * True if the tokens are far from certain: it has media, or much of it is in members of which
   * only the provider knows whether they are part of the prompt.
   */
  public boolean isUncertain() {
    boolean isMuchUnread =
        unreadBytes > UNREAD_BYTES_CERTAIN && UNREAD_SHARE_CERTAIN * unreadBytes > textBytes;
    return isMuchUnread || !media.isEmpty();
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

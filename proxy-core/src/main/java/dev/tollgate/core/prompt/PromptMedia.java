package dev.tollgate.core.prompt;

import dev.tollgate.core.catalog.Model;

/**
 * Counts and sizes of a prompt's images, audio clips and files, for estimates of their tokens.
 *
 * @param count number of all parts
 * @param imageTokensLikely by the sizes of the images
 * @param audioTokensLikely by the sizes of the clips
 * @param fileTokensLikely by the sizes of the files, as far as they are known
 * @param sizedTokensAtMost bound for clips and files whose bytes are in the body
 * @param hasUnsized true if a part has only a URL or a file id
 */
public record PromptMedia(
    int count,
    int images,
    long imageTokensLikely,
    long audioTokensLikely,
    long fileTokensLikely,
    long sizedTokensAtMost,
    boolean hasUnsized) {
  public static final PromptMedia NONE = new PromptMedia(0, 0, 0, 0, 0, 0, false);

  // In base64: models scale images down, and large ones more.
  private static final int BYTES_PER_IMAGE_TOKEN = 100;
  private static final int IMAGE_TOKENS_LEAST = 1_500;
  // In base64: speech of 12,000 bytes a second, and 20 tokens for a second.
  private static final int BYTES_PER_AUDIO_TOKEN = 800;
  private static final int AUDIO_TOKENS_LEAST = 100;
  // In base64: a page of a document has 54,000 bytes and 1,500 tokens.
  static final int BYTES_PER_FILE_TOKEN = 48;
  static final int TOKENS_PER_PAGE = 1_500;

  /** Likely tokens of a file that has only a URL or an id: ten pages. */
  public static final long UNSIZED_FILE_TOKENS = 10 * TOKENS_PER_PAGE;

  /** Set aside for each part by the limit of tokens per minute. */
  private static final int TOKENS_SET_ASIDE = 1_500;

  /** Bound of a document if nothing is known of it, nor of the model's context. */
  private static final int TOKENS_OF_THE_UNKNOWN = 200_000;

  /** Returns images of unknown size. */
  public static PromptMedia images(int count) {
    long tokens = (long) count * imageTokens(0);
    return count == 0 ? NONE : new PromptMedia(count, count, tokens, 0, 0, 0, false);
  }

  /** Returns the likely tokens of an image; 0 means that its size is unknown. */
  public static long imageTokens(long sizeBytes) {
    return Math.max(IMAGE_TOKENS_LEAST, sizeBytes / BYTES_PER_IMAGE_TOKEN);
  }

  /** Returns the likely tokens of an audio clip inside a body. */
  public static long audioTokens(long sizeBytes) {
    return Math.max(AUDIO_TOKENS_LEAST, sizeBytes / BYTES_PER_AUDIO_TOKEN);
  }

  public boolean isEmpty() {
    return count == 0;
  }

  /** Returns the likely tokens at a model: no image is above its bound, and none its context. */
  long tokensLikely(Model model) {
    long imageTokens = Math.min(imageTokensLikely, (long) images * model.imageTokensReserved());
    long tokens = imageTokens + audioTokensLikely + fileTokensLikely;
    return model.contextLengthMax() > 0 ? Math.min(tokens, model.contextLengthMax()) : tokens;
  }

  /** Returns an upper bound for a model; a part of unknown size can fill the context. */
  public long tokensAtMost(Model model) {
    long known = (long) images * model.imageTokensReserved() + sizedTokensAtMost;
    if (!hasUnsized) {
      return known;
    }
    return known
        + (model.contextLengthMax() > 0 ? model.contextLengthMax() : TOKENS_OF_THE_UNKNOWN);
  }

  long tokensSetAside() {
    return (long) count * TOKENS_SET_ASIDE;
  }
}

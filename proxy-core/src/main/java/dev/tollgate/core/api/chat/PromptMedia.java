package dev.tollgate.core.api.chat;

import dev.tollgate.core.catalog.Model;

/**
 * Counts of a prompt's images, clips and files, for estimates of their tokens.
 *
 * @param count number of all parts
 * @param sizedTokensAtMost bound for clips and files whose bytes are in the body
 * @param hasUnsized true if a part has only a URL or a file id
 */
record PromptMedia(int count, int images, long sizedTokensAtMost, boolean hasUnsized) {
  /** Bound of a document if nothing is known of it, nor of the model's context. */
  private static final int TOKENS_OF_THE_UNKNOWN = 200_000;

  /** Returns an upper bound for a model; a part of unknown size can fill the context. */
  long tokensAtMost(Model model) {
    long known = (long) images * model.imageTokensReserved() + sizedTokensAtMost;
    if (!hasUnsized) {
      return known;
    }
    return known
        + (model.contextLengthMax() > 0 ? model.contextLengthMax() : TOKENS_OF_THE_UNKNOWN);
  }
}

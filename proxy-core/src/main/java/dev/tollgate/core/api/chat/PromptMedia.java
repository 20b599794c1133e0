package dev.tollgate.core.api.chat;

import dev.tollgate.core.catalog.Model;

/**
 * What of a prompt is no text: images, clips and files.
 *
 * @param count of all of them
 * @param sizedTokensAtMost a bound for clips and files whose bytes are in the body
 * @param hasUnsized whether there is one of which only its place or name is known
 */
record PromptMedia(int count, int images, long sizedTokensAtMost, boolean hasUnsized) {
  /** What a document counts at most where nothing is known of it, nor of the model's context. */
  private static final int TOKENS_OF_THE_UNKNOWN = 200_000;

  /** An upper bound for a model; what is not known can fill its context. */
  long tokensAtMost(Model model) {
    long known = (long) images * model.imageTokensReserved() + sizedTokensAtMost;
    if (!hasUnsized) {
      return known;
    }
    return known + (model.contextLength() > 0 ? model.contextLength() : TOKENS_OF_THE_UNKNOWN);
  }
}

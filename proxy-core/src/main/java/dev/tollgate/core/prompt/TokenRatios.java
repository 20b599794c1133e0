package dev.tollgate.core.prompt;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.money.Usage;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Bytes a token of each model's prompts, learned on this node from settled requests that are text
 * only and whose provider reported their tokens (docs/decisions/money.md#estimates). Models are
 * known by id, so a reload of the catalog keeps what was learned. Shared by all event loops: each
 * model has one reference to an immutable sum.
 */
public final class TokenRatios {
  static final int REQUESTS_LEAST = 50;
  static final int MODELS_MAX = 10_000;

  // A sum is halved beyond this count, so that recent requests decide.
  private static final int REQUESTS_MAX = 400;
  // One request weighs no more than this, so that no single prompt decides.
  private static final long BYTES_PER_REQUEST_MAX = 64 << 10;
  private static final Sum NONE = new Sum(0, 0, 0);

  private final Map<ModelId, AtomicReference<Sum>> sums = new ConcurrentHashMap<>();

  /** Sum over the latest settled requests of a model. */
  private record Sum(int requests, long bytes, long tokens) {
    Sum plus(long moreBytes, long moreTokens) {
      return requests < REQUESTS_MAX
          ? new Sum(requests + 1, bytes + moreBytes, tokens + moreTokens)
          : new Sum(requests / 2 + 1, bytes / 2 + moreBytes, tokens / 2 + moreTokens);
    }
  }

  /** Returns the ratio of a model, between 2 and 8; 4 before 50 requests were settled. */
  public TextRatio of(ModelId model) {
    AtomicReference<Sum> known = sums.get(model);
    Sum learned = known == null ? NONE : known.getAcquire();
    return learned.requests < REQUESTS_LEAST
        ? TextRatio.USUAL
        : new TextRatio(learned.bytes, learned.tokens).clamped();
  }

  /** Learns from the usage of a settled request, if it can tell something. */
  public void settled(ModelId model, PromptSize prompt, Usage usage) {
    if (!usage.estimated() && usage.promptTokens() > 0 && prompt.isTextOnly()) {
      learn(model, prompt.textBytes(), usage.promptTokens());
    }
  }

  /**
   * Another loop may replace the sum between read and write: one request of hundreds is lost then,
   * which costs less than a lock that every request of a model takes.
   */
  void learn(ModelId model, long textBytes, long promptTokens) {
    AtomicReference<Sum> known = sums.get(model);
    if (known == null) {
      if (sums.size() >= MODELS_MAX) {
        return;
      }
      known = sums.computeIfAbsent(model, _ -> new AtomicReference<>(NONE));
    }
    long bytes = Math.min(textBytes, BYTES_PER_REQUEST_MAX);
    long tokens = Math.max(1, Math.round((double) promptTokens * bytes / textBytes));
    known.setRelease(known.getAcquire().plus(bytes, tokens));
  }
}

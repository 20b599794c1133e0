package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.server.settings.binding.Key;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Configuration section {@code routing}: choice among providers, attempts, retries and hedging. */
public record RoutingSettings(
    @Key(about = "how providers are ordered", initial = "priority") Strategy defaultStrategy,
    @Key(about = "limit of attempts for one request", initial = "3", min = "1", max = "10")
        int maxAttempts,
    @Key(about = "limit of retries per provider") RetryBudget retryBudget,
    @Key(
            name = "resume_max_bytes",
            about = "text of one stream that is kept to resume it",
            initial = "1MiB",
            bytes = true,
            min = "1KiB",
            max = "64MiB")
        int resumeBytesMax,
    @Key(about = "wait for the first token after which a hedge starts; null: never", min = "1ms")
        @Nullable Duration hedgeAfter) {

  /** Section {@code routing.retry_budget}: limit of retries at each provider. */
  public record RetryBudget(
      @Key(about = "share of a provider's requests", initial = "0.1", min = "0", max = "1")
          double share,
      @Key(about = "retries per second that are always allowed", initial = "3", min = "0")
          int minPerSecond) {}
}

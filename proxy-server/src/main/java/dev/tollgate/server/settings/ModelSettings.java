package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.binding.Key;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One entry of {@code models}: what clients can name, what it costs, who serves it. */
public record ModelSettings(
    @Key(about = "what the model does", required = true) Modality modality,
    @Key(about = "name for people; null: the model id's name") @Nullable String name,
    @Key(about = "a sentence for people", initial = "''") String description,
    @Key(about = "day of publication, shown by the model list", initial = "2025-01-01")
        LocalDate created,
    @Key(about = "tokens that prompt and completion share; 0: unknown", initial = "0", min = "0")
        int contextLength,
    @Key(about = "tokens of a completion at most; 0: unknown", initial = "0", min = "0")
        int maxOutputTokens,
    @Key(
            about = "completion tokens assumed where a request sets no bound",
            initial = "4096",
            min = "1")
        int reserveOutputTokens,
    @Key(
            about = "tokens that one image counts at most",
            initial = "5000",
            min = "1",
            max = "1000000")
        int reserveImageTokens,
    @Key(
            about = "seconds assumed where a request names none; required for video and music",
            min = "0.1",
            max = "3600")
        @Nullable BigDecimal defaultDurationSeconds,
    @Key(about = "how a stream that breaks off is continued by another provider", initial = "'off'")
        Resume resume,
    @Key(about = "whether equal prompt beginnings go to the same provider", initial = "false")
        boolean stickyPrefix,
    @Key(about = "what it can do beyond its modality") List<Capability> capabilities,
    @Key(about = "what it costs in USD, or the word free", required = true) PriceSettings price,
    @Key(about = "who serves it", required = true, min = "1") List<RouteSettings> routes) {

  /** Capabilities that the model list shows. */
  public enum Capability {
    STREAMING,
    TOOLS,
    VISION,
    JSON_SCHEMA,
    REASONING
  }

  /** One entry of {@code routes}. */
  public record RouteSettings(
      @Key(about = "one of providers", required = true) ProviderId provider,
      @Key(
              about = "the provider's own name of the model",
              required = true,
              pattern = "\\S(.*\\S)?",
              expects = "a model name")
          String model,
      @Key(about = "lower is preferred", initial = "1", min = "0") int priority,
      @Key(about = "share under the strategy weighted", initial = "100", min = "1") int weight) {}
}

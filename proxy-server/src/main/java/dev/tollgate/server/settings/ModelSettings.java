package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Resume;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.binding.Key;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration entry of {@code models}: a model that clients can name, with its price and routes.
 */
public record ModelSettings(
    @Key(about = "task of the model", required = true) Modality modality,
    @Key(about = "display name; null: the name in the model id") @Nullable String name,
    @Key(about = "description in the model list", initial = "''") String description,
    @Key(about = "day of publication, shown by the model list", initial = "2025-01-01")
        LocalDate created,
    @Key(about = "tokens that prompt and completion share; 0: unknown", initial = "0", min = "0")
        int contextLength,
    @Key(about = "limit of completion tokens; 0: unknown", initial = "0", min = "0")
        int maxOutputTokens,
    @Key(
            about = "completion tokens to reserve if a request sets no limit",
            initial = "4096",
            min = "1")
        int reserveOutputTokens,
    @Key(
            about = "tokens to reserve for one image: the most that one can count",
            initial = "5000",
            min = "1",
            max = "1000000")
        int reserveImageTokens,
    @Key(
            about = "seconds to assume if a request names none; required for video and music",
            min = "0.1",
            max = "3600")
        @Nullable BigDecimal defaultDurationSeconds,
    @Key(about = "how another provider resumes an interrupted stream", initial = "'off'")
        Resume resume,
    @Key(
            about = "whether requests with equal prompt prefixes go to the same provider",
            initial = "false")
        boolean stickyPrefix,
    @Key(about = "capabilities beyond the modality") List<Capability> capabilities,
    @Key(about = "price in USD, or the word free", required = true) PriceSettings price,
    @Key(about = "providers that serve it", required = true, min = "1") List<RouteSettings> routes,
    @Key(about = "other names by which clients can ask for it") List<String> aliases) {

  /**
   * Configuration entry {@code <vendor>/*}: routes to every model of the vendor in the built-in
   * catalog, with the price, limits and capabilities that it has there.
   */
  public record WildcardSettings(
      @Key(
              about = "providers that serve them; the star in model is the model",
              required = true,
              min = "1")
          List<RouteSettings> routes) {}

  /** Capability of a model that the model list of the API shows. */
  public enum Capability {
    STREAMING,
    TOOLS,
    VISION,
    JSON_SCHEMA,
    REASONING
  }

  /** Entry of {@code routes}: a provider that serves the model, and the model's name there. */
  public record RouteSettings(
      @Key(about = "one of providers", required = true) ProviderId provider,
      @Key(
              about = "name of the model at the provider",
              required = true,
              pattern = "\\S(.*\\S)?",
              expects = "a model name")
          String model,
      @Key(about = "lower is preferred", initial = "1", min = "0") int priority,
      @Key(about = "share under the strategy weighted", initial = "100", min = "1") int weight,
      @Key(about = "tokens that prompt and completion share there; null: as the model's", min = "1")
          @Nullable Integer contextLength,
      @Key(about = "what the operator pays there, like price; null: the price")
          @Nullable PriceSettings cost) {}
}

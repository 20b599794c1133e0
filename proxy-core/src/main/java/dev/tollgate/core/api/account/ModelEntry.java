package dev.tollgate.core.api.account;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.TokenPrices;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts a model of the catalog to an item of the model list that clients get
 * (docs/decisions/models.md#list), as a tree to write as JSON.
 */
final class ModelEntry {
  private static final int PICO_DECIMALS = 12;
  private static final List<String> CHAT_PARAMETERS =
      List.of(
          "frequency_penalty",
          "logit_bias",
          "logprobs",
          "max_completion_tokens",
          "max_tokens",
          "presence_penalty",
          "response_format",
          "seed",
          "stop",
          "stream",
          "temperature",
          "tool_choice",
          "tools",
          "top_logprobs",
          "top_p",
          "user");
  private static final List<String> COMPLETION_PARAMETERS =
      List.of(
          "best_of",
          "echo",
          "frequency_penalty",
          "logit_bias",
          "logprobs",
          "max_tokens",
          "n",
          "presence_penalty",
          "seed",
          "stop",
          "stream",
          "suffix",
          "temperature",
          "top_p",
          "user");
  private static final List<String> EMBEDDING_PARAMETERS =
      List.of("dimensions", "encoding_format", "user");

  private static final List<String> SPEECH_PARAMETERS =
      List.of("instructions", "response_format", "speed", "stream_format", "voice");

  private static final List<String> TRANSCRIPTION_PARAMETERS =
      List.of(
          "language",
          "prompt",
          "response_format",
          "stream",
          "temperature",
          "timestamp_granularities");

  private static final List<String> IMAGE_PARAMETERS =
      List.of("input_images", "n", "quality", "response_format", "size", "style", "user");

  private static final Quantity.Images UNKNOWN_KIND =
      new Quantity.Images(1, Optional.empty(), Optional.empty());

  private ModelEntry() {}

  static Map<String, Object> of(Model model, List<String> aliases) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("id", model.id().toString());
    entry.put("aliases", aliases);
    entry.put("object", "model");
    entry.put("created", model.created().getEpochSecond());
    entry.put("owned_by", model.id().vendor());
    entry.put("name", model.name());
    entry.put("description", model.description());
    entry.put("modality", model.modality().wire());
    entry.put("context_length", orNull(model.contextLength()));
    entry.put("max_output_tokens", orNull(model.outputTokensMax()));
    entry.put("architecture", architecture(model));
    entry.put("supported_parameters", parameters(model));
    entry.put("capabilities", capabilities(model));
    entry.put("pricing", pricing(model.prices(), ModelEntry::usd, ModelEntry::usd));
    entry.put(
        "pricing_micro", pricing(model.prices(), ModelEntry::microPerMillion, ModelEntry::micro));
    entry.put(
        "providers",
        model.routes().stream().map(route -> route.provider().id().value()).distinct().toList());
    return entry;
  }

  private static @Nullable Integer orNull(int count) {
    return count == 0 ? null : count;
  }

  private static Map<String, Object> architecture(Model model) {
    List<String> input = new ArrayList<>(List.of("text"));
    if (model.capabilities().contains("vision")) {
      input.add("image");
    }
    if (model.modality() == Modality.TRANSCRIPTION) {
      input = List.of("audio");
    }
    String output =
        switch (model.modality()) {
          case CHAT, COMPLETION, TRANSCRIPTION -> "text";
          case EMBEDDING -> "embedding";
          case SPEECH, MUSIC -> "audio";
          case IMAGE -> "image";
          case VIDEO -> "video";
        };
    Map<String, Object> architecture = new LinkedHashMap<>();
    architecture.put("input_modalities", input);
    architecture.put("output_modalities", List.of(output));
    return architecture;
  }

  private static List<String> parameters(Model model) {
    boolean tools = model.capabilities().contains("tools");
    return switch (model.modality()) {
      case CHAT ->
          CHAT_PARAMETERS.stream().filter(name -> tools || !name.startsWith("tool")).toList();
      case EMBEDDING -> EMBEDDING_PARAMETERS;
      case COMPLETION -> COMPLETION_PARAMETERS;
      case SPEECH -> SPEECH_PARAMETERS;
      case TRANSCRIPTION -> TRANSCRIPTION_PARAMETERS;
      case IMAGE -> IMAGE_PARAMETERS;
      case VIDEO, MUSIC -> List.of();
    };
  }

  private static Map<String, Object> capabilities(Model model) {
    Map<String, Object> capabilities = new LinkedHashMap<>();
    for (String name : List.of("streaming", "tools", "vision", "json_schema", "reasoning")) {
      capabilities.put(name, model.capabilities().contains(name));
    }
    return capabilities;
  }

  /** Display format of a price; {@code pico} is in pico-USD per unit. */
  private interface PriceFormat {
    Object of(long pico);
  }

  private static Map<String, Object> pricing(
      PriceList prices, PriceFormat perToken, PriceFormat perUnit) {
    Map<String, Object> pricing = new LinkedHashMap<>(tokens(prices.tokens(), perToken));
    pricing.put("request", perUnit.of(prices.perRequest()));
    if (!prices.images().isEmpty()) {
      pricing.put("per_image", perUnit.of(prices.perImage(UNKNOWN_KIND)));
    }
    if (prices.images().size() > 1) {
      pricing.put("images", images(prices, perUnit));
    }
    put(pricing, "per_character", perToken, prices.perCharacter());
    put(pricing, "per_audio_second", perUnit, prices.perAudioSecond());
    put(pricing, "per_video_second", perUnit, prices.perVideoSecond());
    put(pricing, "per_music_second", perUnit, prices.perMusicSecond());
    if (!prices.tiers().isEmpty()) {
      pricing.put(
          "overrides", prices.tiers().stream().map(tier -> override(tier, perToken)).toList());
    }
    return pricing;
  }

  private static void put(Map<String, Object> pricing, String name, PriceFormat shown, long pico) {
    if (pico > 0) {
      pricing.put(name, shown.of(pico));
    }
  }

  private static List<Map<String, Object>> images(PriceList prices, PriceFormat perUnit) {
    List<Map<String, Object>> shown = new ArrayList<>();
    for (PriceList.ImagePrice image : prices.images()) {
      Map<String, Object> entry = new LinkedHashMap<>();
      image.size().ifPresent(size -> entry.put("size", size));
      image.quality().ifPresent(quality -> entry.put("quality", quality));
      entry.put("price", perUnit.of(image.perImage()));
      shown.add(entry);
    }
    return shown;
  }

  private static Map<String, Object> override(PriceList.Tier tier, PriceFormat perToken) {
    Map<String, Object> override = new LinkedHashMap<>();
    override.put("min_prompt_tokens", tier.abovePromptTokens());
    override.putAll(tokens(tier.tokens(), perToken));
    return override;
  }

  private static Map<String, Object> tokens(TokenPrices tokens, PriceFormat perToken) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("prompt", perToken.of(tokens.input()));
    shown.put("completion", perToken.of(tokens.output()));
    shown.put("input_cache_read", perToken.of(tokens.cachedInput()));
    shown.put("input_cache_write", perToken.of(tokens.cacheWrite()));
    shown.put("input_cache_write_1h", perToken.of(tokens.cacheWrite1h()));
    shown.put("internal_reasoning", perToken.of(tokens.reasoning()));
    shown.put("audio", perToken.of(tokens.audioInput()));
    if (tokens.imageInput() != tokens.input()) {
      shown.put("image_token", perToken.of(tokens.imageInput()));
    }
    shown.put("audio_output", perToken.of(tokens.audioOutput()));
    return shown;
  }

  /** Formats exact decimal USD per unit. */
  private static String usd(long pico) {
    return pico == 0
        ? "0"
        : BigDecimal.valueOf(pico, PICO_DECIMALS).stripTrailingZeros().toPlainString();
  }

  /** Formats micro-USD per million tokens: one pico-USD per token is one micro-USD per million. */
  private static Long microPerMillion(long pico) {
    return pico;
  }

  /** Formats micro-USD per unit. */
  private static Long micro(long pico) {
    return Math.ceilDiv(pico, 1_000_000L);
  }
}

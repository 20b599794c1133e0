package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.server.settings.PriceSettings.ImagePriceSettings;
import dev.tollgate.server.settings.PriceSettings.TierSettings;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Validates the {@code price} of one model, or the {@code cost} of one of its routes: a price that
 * its modality needs must not be missing.
 */
final class PriceChecks {
  private final String key;
  private final SectionProblems problems;

  /**
   * @param key name of the prices in their section
   */
  PriceChecks(String key, SectionProblems section) {
    this.key = key;
    this.problems = section.in(key);
  }

  void check(Modality modality, PriceSettings price) {
    if (price.equals(PriceLists.FREE)) {
      return;
    }
    if (!isComplete(modality, price)) {
      problems.addFirst("", "does not price " + modality.wire() + ": give " + needed(modality));
    }
    if (!price.tiers().isEmpty() && price.input() == null) {
      problems.addFirst("tiers", "need a base price for input");
    }
    for (int i = 0; i < price.tiers().size(); i++) {
      checkTier(price, i);
    }
    checkImages(price.image());
  }

  private static boolean isComplete(Modality modality, PriceSettings price) {
    boolean input = price.input() != null;
    boolean tokens = input && price.tokens().output() != null;
    boolean byModality =
        switch (modality) {
          case CHAT, COMPLETION -> tokens;
          case EMBEDDING -> input;
          case SPEECH ->
              price.characters() != null
                  || price.audioSecond() != null
                  || tokens
                  || (input && price.tokens().audioOutput() != null);
          case TRANSCRIPTION -> price.audioSecond() != null || tokens;
          case IMAGE -> !price.image().isEmpty() || tokens;
          case VIDEO -> price.videoSecond() != null;
          case MUSIC -> price.musicSecond() != null;
        };
    return byModality || isPerRequestOnly(price);
  }

  private static boolean isPerRequestOnly(PriceSettings price) {
    PriceSettings alone = PriceLists.perRequest(price.request());
    return price.request() != null && price.equals(alone);
  }

  private String needed(Modality modality) {
    return switch (modality) {
          case CHAT, COMPLETION -> "input and output";
          case EMBEDDING -> "input";
          case SPEECH -> "characters, audio_second, or input and output";
          case TRANSCRIPTION -> "audio_second, or input and output";
          case IMAGE -> "image, or input and output";
          case VIDEO -> "video_second";
          case MUSIC -> "music_second";
        }
        + ", request alone, or write "
        + key
        + ": free";
  }

  private void checkTier(PriceSettings price, int index) {
    TierSettings tier = price.tiers().get(index);
    String at = SettingPaths.item("tiers", index);
    long before = index == 0 ? 0 : price.tiers().get(index - 1).aboveInputTokens();
    if (tier.aboveInputTokens() <= before) {
      problems.addFirst(
          at + ".above_input_tokens", "must be more than the " + before + " of the tier above");
    }
    TokenPriceSettings base = price.tokens();
    TokenPriceSettings own = tier.tokens();
    requireInTier(at + ".output", base.output(), own.output());
    requireInTier(at + ".cached_input", base.cachedInput(), own.cachedInput());
    requireInTier(at + ".cache_write", base.cacheWrite(), own.cacheWrite());
    requireInTier(at + ".cache_write_1h", base.cacheWrite1h(), own.cacheWrite1h());
    requireInTier(at + ".audio_input", base.audioInput(), own.audioInput());
    requireInTier(at + ".image_input", base.imageInput(), own.imageInput());
    requireInTier(at + ".reasoning", base.reasoning(), own.reasoning());
    requireInTier(at + ".audio_output", base.audioOutput(), own.audioOutput());
  }

  private void requireInTier(String key, @Nullable Object base, @Nullable Object ofTier) {
    if (base != null && ofTier == null) {
      problems.addFirst(key, "is missing: the base price has it");
    }
  }

  private void checkImages(List<ImagePriceSettings> images) {
    Set<List<String>> seen = new HashSet<>();
    for (int i = 0; i < images.size(); i++) {
      ImagePriceSettings image = images.get(i);
      String size = Objects.requireNonNullElse(image.size(), "any");
      String quality = Objects.requireNonNullElse(image.quality(), "any");
      if (!seen.add(List.of(size, quality))) {
        problems.addFirst(
            SettingPaths.item("image", i), "prices the same size and quality as one above");
      }
    }
  }
}

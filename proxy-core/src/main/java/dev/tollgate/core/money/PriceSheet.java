package dev.tollgate.core.money;

import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.PriceList.Tier;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * Price list as a document: what is kept of every price that was applied, so that a charge can be
 * computed again (docs/prices.md#the-prices-that-were-applied).
 *
 * @param id hash of the content: equal prices have one id on every node
 * @param content JSON object of prices in pico-USD per unit; members that are zero are left out
 */
public record PriceSheet(String id, String content) {
  private static final int ID_BYTES = 16;

  static PriceSheet of(PriceList prices) {
    String content = content(prices);
    return new PriceSheet(id(content), content);
  }

  private static String id(String content) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(hash, ID_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  private static String content(PriceList prices) {
    StringBuilder out = new StringBuilder(160).append('{');
    tokens(out, prices.tokens());
    if (!prices.tiers().isEmpty()) {
      begin(out, "tiers").append('[');
      for (Tier tier : prices.tiers()) {
        element(out).append("{\"above_prompt_tokens\":").append(tier.abovePromptTokens());
        tokens(out, tier.tokens());
        out.append('}');
      }
      out.append(']');
    }
    price(out, "request", prices.perRequest());
    price(out, "character", prices.perCharacter());
    price(out, "audio_second", prices.perAudioSecond());
    if (!prices.images().isEmpty()) {
      begin(out, "images").append('[');
      for (ImagePrice image : prices.images()) {
        element(out).append('{');
        image.size().ifPresent(size -> text(out, "size", size));
        image.quality().ifPresent(quality -> text(out, "quality", quality));
        price(out, "price", image.perImage());
        out.append('}');
      }
      out.append(']');
    }
    price(out, "video_second", prices.perVideoSecond());
    price(out, "music_second", prices.perMusicSecond());
    return out.append('}').toString();
  }

  private static void tokens(StringBuilder out, TokenPrices tokens) {
    price(out, "input", tokens.input());
    price(out, "cached_input", tokens.cachedInput());
    price(out, "cache_write", tokens.cacheWrite());
    price(out, "cache_write_1h", tokens.cacheWrite1h());
    price(out, "audio_input", tokens.audioInput());
    price(out, "image_input", tokens.imageInput());
    price(out, "output", tokens.output());
    price(out, "reasoning", tokens.reasoning());
    price(out, "audio_output", tokens.audioOutput());
  }

  private static void price(StringBuilder out, String name, long pico) {
    if (pico != 0) {
      begin(out, name).append(pico);
    }
  }

  private static void text(StringBuilder out, String name, String text) {
    begin(out, name).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
        out.append("\\u").append(HexFormat.of().toHexDigits(c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  private static StringBuilder begin(StringBuilder out, String name) {
    return element(out).append('"').append(name).append("\":");
  }

  private static StringBuilder element(StringBuilder out) {
    char last = out.charAt(out.length() - 1);
    return last == '{' || last == '[' ? out : out.append(',');
  }
}

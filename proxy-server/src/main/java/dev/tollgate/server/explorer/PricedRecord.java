package dev.tollgate.server.explorer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a request's record says that its charge was computed from
 * (docs/prices.md#the-prices-that-were-applied); without parts if it says nothing.
 */
public record PricedRecord(List<Part> parts) {
  /** Record of a charge that is not explained. */
  public static final PricedRecord NONE = new PricedRecord(List.of());

  private static final ObjectMapper JSON = new ObjectMapper();

  public PricedRecord {
    parts = List.copyOf(parts);
  }

  /**
   * Usage at one provider.
   *
   * @param sheet id of the price sheet that was applied
   */
  public record Part(String sheet, Usage usage, List<Quantity> quantities) {
    public Part {
      quantities = List.copyOf(quantities);
    }
  }

  /** Reads the row of a charged request in the request log. */
  public static PricedRecord ofRow(String row) {
    return of(tree(row).path("priced"));
  }

  /** Reads the array that is kept beside the row of a job. */
  public static PricedRecord ofJob(String priced) {
    return of(tree(priced));
  }

  static JsonNode tree(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException notJson) {
      return MissingNode.getInstance();
    }
  }

  private static PricedRecord of(JsonNode priced) {
    List<Part> parts = new ArrayList<>();
    priced.forEach(part -> parts.add(part(part)));
    return parts.isEmpty() ? NONE : new PricedRecord(parts);
  }

  /** Returns the ids of the price sheets that were applied, in the order of the parts. */
  public Set<String> sheets() {
    Set<String> sheets = new LinkedHashSet<>();
    parts.forEach(part -> sheets.add(part.sheet()));
    return sheets;
  }

  private static Part part(JsonNode part) {
    var usage =
        new Usage(
            part.path("prompt").asLong(),
            part.path("completion").asLong(),
            part.path("cached").asLong(),
            part.path("cache_write").asLong(),
            part.path("cache_write_1h").asLong(),
            part.path("audio_input").asLong(),
            part.path("image_input").asLong(),
            part.path("reasoning").asLong(),
            part.path("audio_output").asLong(),
            part.path("on_top").asLong(),
            part.path("estimated").asBoolean());
    List<Quantity> quantities = new ArrayList<>();
    part.path("quantities").forEach(each -> quantity(each).ifPresent(quantities::add));
    return new Part(part.path("sheet").asText(), usage, quantities);
  }

  private static Optional<Quantity> quantity(JsonNode one) {
    if (one.has("characters")) {
      return Optional.of(new Quantity.Characters(one.path("characters").asLong()));
    }
    if (one.has("audio_us")) {
      return Optional.of(new Quantity.AudioTime(time(one.path("audio_us"))));
    }
    if (one.has("video_us")) {
      return Optional.of(new Quantity.VideoTime(time(one.path("video_us"))));
    }
    if (one.has("music_us")) {
      return Optional.of(new Quantity.MusicTime(time(one.path("music_us"))));
    }
    return one.has("images")
        ? Optional.of(
            new Quantity.Images(
                one.path("images").asLong(), text(one, "size"), text(one, "quality")))
        : Optional.empty();
  }

  private static Duration time(JsonNode micros) {
    return Duration.of(micros.asLong(), ChronoUnit.MICROS);
  }

  static Optional<String> text(JsonNode object, String name) {
    JsonNode text = object.get(name);
    return text == null ? Optional.empty() : Optional.of(text.asText());
  }
}

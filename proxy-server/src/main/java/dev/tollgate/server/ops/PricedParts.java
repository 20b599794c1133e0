package dev.tollgate.server.ops;

import static dev.tollgate.server.ops.JsonLine.name;

import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.money.Cost.PricedUsage;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import dev.tollgate.server.ops.JsonLine.Name;

/**
 * Member of a request's line that holds what its charge was computed from: for each provider that
 * delivered, the id of its price sheet and the usage that was priced. Counts of zero are left out.
 */
final class PricedParts {
  private static final Name PRICED = name("priced");
  private static final Name SHEET = name("sheet");
  private static final Name PROMPT = name("prompt");
  private static final Name COMPLETION = name("completion");
  private static final Name CACHED = name("cached");
  private static final Name CACHE_WRITE = name("cache_write");
  private static final Name CACHE_WRITE_1H = name("cache_write_1h");
  private static final Name AUDIO_INPUT = name("audio_input");
  private static final Name IMAGE_INPUT = name("image_input");
  private static final Name REASONING = name("reasoning");
  private static final Name AUDIO_OUTPUT = name("audio_output");
  private static final Name ON_TOP = name("on_top");
  private static final Name ESTIMATED = name("estimated");
  private static final Name QUANTITIES = name("quantities");
  private static final Name CHARACTERS = name("characters");
  private static final Name AUDIO_US = name("audio_us");
  private static final Name VIDEO_US = name("video_us");
  private static final Name MUSIC_US = name("music_us");
  private static final Name IMAGES = name("images");
  private static final Name SIZE = name("size");
  private static final Name QUALITY = name("quality");

  private PricedParts() {}

  /** Writes the member, unless the request costs nothing. */
  static void write(JsonLine line, Charge charge) {
    if (charge.parts().isEmpty()) {
      return;
    }
    line.member(PRICED);
    line.begin('[');
    for (int i = 0; i < charge.parts().size(); i++) {
      write(line, charge.parts().get(i));
    }
    line.end(']');
  }

  private static void write(JsonLine line, PricedUsage part) {
    line.begin('{');
    line.plain(SHEET, part.prices().sheet().id());
    writeTokens(line, part.usage());
    if (part.usage().estimated()) {
      line.bool(ESTIMATED, true);
    }
    if (!part.quantities().isEmpty()) {
      line.member(QUANTITIES);
      line.begin('[');
      part.quantities().forEach(quantity -> write(line, quantity));
      line.end(']');
    }
    line.end('}');
  }

  private static void writeTokens(JsonLine line, Usage usage) {
    count(line, PROMPT, usage.promptTokens());
    count(line, COMPLETION, usage.completionTokens());
    count(line, CACHED, usage.cachedTokens());
    count(line, CACHE_WRITE, usage.cacheWriteTokens());
    count(line, CACHE_WRITE_1H, usage.cacheWrite1hTokens());
    count(line, AUDIO_INPUT, usage.audioInputTokens());
    count(line, IMAGE_INPUT, usage.imageInputTokens());
    count(line, REASONING, usage.reasoningTokens());
    count(line, AUDIO_OUTPUT, usage.audioOutputTokens());
    count(line, ON_TOP, usage.billedOnTop());
  }

  private static void count(JsonLine line, Name name, long count) {
    if (count != 0) {
      line.number(name, count);
    }
  }

  private static void write(JsonLine line, Quantity quantity) {
    line.begin('{');
    switch (quantity) {
      case Quantity.Characters(long count) -> line.number(CHARACTERS, count);
      case Quantity.AudioTime(var time) -> line.number(AUDIO_US, Quantity.micros(time));
      case Quantity.VideoTime(var time) -> line.number(VIDEO_US, Quantity.micros(time));
      case Quantity.MusicTime(var time) -> line.number(MUSIC_US, Quantity.micros(time));
      case Quantity.Images(long count, var size, var quality) -> {
        line.number(IMAGES, count);
        line.textIfAny(SIZE, size.orElse(null));
        line.textIfAny(QUALITY, quality.orElse(null));
      }
    }
    line.end('}');
  }
}

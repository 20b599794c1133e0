package dev.tollgate.core.api.speech;

import dev.tollgate.core.dialect.UsageFormat;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Collector of the usage in a provider's audio reply: tokens, time or characters, by the prices of
 * its model. Providers report one of these, under several names, or none.
 */
final class AudioUsage {
  private static final byte[] NOTHING = {'{', '}'};
  private final UsageFormat terms;
  private final PriceList prices;
  private final List<Quantity> known;
  private final Bounds bounds;
  private @Nullable Usage tokens;
  private @Nullable Duration time;
  private byte @Nullable [] text;

  /** Bounds of plausible usage; above them the gateway's own estimate counts. */
  record Bounds(int tokens, Duration time) {}

  /**
   * @param known usage known from the request
   */
  AudioUsage(UsageFormat terms, PriceList prices, List<Quantity> known, Bounds bounds) {
    this.bounds = bounds;
    this.terms = terms;
    this.prices = prices;
    this.known = known;
  }

  /** Reads the usage at the root of a reply or an event. */
  void take(JsonMembers root) {
    time(root, "duration").ifPresent(read -> time = read);
    int i = root.indexOf("usage");
    if (i >= 0 && root.kind(i) == JsonKind.OBJECT) {
      readUsage(root.object(i));
    }
  }

  /** Keeps only an object that contributes to the charge, for the client. */
  private void readUsage(JsonMembers usage) {
    Optional<Usage> counted = terms.read(usage, bounds.tokens);
    Optional<Duration> timed = time(usage, "seconds").or(() -> time(usage, "prompt_audio_seconds"));
    counted.ifPresent(read -> tokens = read);
    timed.ifPresent(read -> time = read);
    if (counted.isPresent() || timed.isPresent()) {
      text = Arrays.copyOfRange(usage.bytes(), usage.objectStart(), usage.objectEnd());
    }
  }

  private Optional<Duration> time(JsonMembers members, String name) {
    int i = members.indexOf(name);
    double seconds = i >= 0 && members.kind(i) == JsonKind.NUMBER ? members.number(i) : -1;
    return seconds >= 0 && seconds <= bounds.time.toSeconds()
        ? Optional.of(Duration.ofNanos(Math.round(seconds * 1e9)))
        : Optional.empty();
  }

  /** Returns the reported usage as far as it is charged; empty if tokens must be estimated. */
  Optional<Usage> reported() {
    boolean isTimeKnown = time != null || prices.perAudioSecond() == 0;
    Usage counted = tokens;
    if (counted != null) {
      return Optional.of(isTimeKnown ? counted : counted.interrupted(0));
    }
    return prices.isByTokens()
        ? Optional.empty()
        : Optional.of(isTimeKnown ? Usage.ZERO : Usage.estimate(0, 0));
  }

  /**
   * Returns the usage besides tokens.
   *
   * @param likely the length of the audio if the provider reported none
   */
  List<Quantity> quantities(Duration likely) {
    List<Quantity> all = new ArrayList<>(known);
    all.add(new Quantity.AudioTime(timeOr(likely)));
    return all;
  }

  private Duration timeOr(Duration likely) {
    return time == null ? likely : time;
  }

  /** Returns the client's usage object: the provider's own or the estimate, and the charge. */
  JsonBytes json(Usage charged, Duration likely, MicroUsd cost) {
    JsonMembers members = JsonMembers.ofKept(text == null ? NOTHING : text);
    JsonSplice edits = JsonSplice.of(members);
    for (int i = 0; i < members.size(); i++) {
      if (members.isNamePrefix(i, "x_llm_")) {
        edits.delete(i);
      }
    }
    if (text == null) {
      addEstimate(charged, timeOr(likely), edits);
    }
    edits.insertLast("x_llm_cost_micro", JsonBytes.number(cost.value()));
    if (charged.estimated()) {
      edits.insertLast("x_llm_usage_estimated", JsonBytes.TRUE);
    }
    ByteBuf out = Unpooled.buffer(edits.sizeBytes());
    edits.writeTo(out);
    return JsonBytes.raw(out.array(), 0, out.writerIndex());
  }

  private void addEstimate(Usage charged, Duration length, JsonSplice edits) {
    if (prices.isByTokens() || prices.perAudioSecond() == 0) {
      edits.insertLast("type", JsonBytes.string("tokens"));
      edits.insertLast("input_tokens", JsonBytes.number(charged.promptTokens()));
      edits.insertLast("output_tokens", JsonBytes.number(charged.completionTokens()));
      edits.insertLast("total_tokens", JsonBytes.number(charged.totalTokens()));
    } else {
      edits.insertLast("type", JsonBytes.string("duration"));
      edits.insertLast("seconds", JsonBytes.raw(seconds(length)));
    }
  }

  private static String seconds(Duration length) {
    return BigDecimal.valueOf(length.toMillis(), 3).stripTrailingZeros().toPlainString();
  }
}

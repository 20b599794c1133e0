package dev.tollgate.mock;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Behaviour of the mock provider that a requested model name selects. The grammar is {@code
 * [prefix/]name[?params]} for a healthy model and {@code [prefix/]fault/name[:k][?params]} for a
 * fault; parameters are {@code ttft}, {@code interval}, {@code chunks}, {@code seed}, {@code
 * batch}, {@code tool}, {@code times} and {@code for}, joined by {@code &}.
 */
final class MockModel {
  private static final Pattern NAME = Pattern.compile("(?:.*/)?fault/([a-z0-9-]+)(?::(\\d{1,6}))?");
  private static final Pattern PAUSE = Pattern.compile("(\\d{1,9})(us|ms|s)?");

  /** Name of the model that answers in sentences, also with an ending such as "-whisper". */
  static final String DEMO = "mock-demo";

  private final MockProfile profile;
  private final @Nullable MockFault fault;
  private final int k;
  private final int batch;
  private final boolean tool;
  private final int times;
  private final long faultNanos;
  private final AtomicLong firstNanos = new AtomicLong();
  private final AtomicInteger faultsInjected = new AtomicInteger();

  private MockModel(Params params, @Nullable MockFault fault, int k) {
    this.profile = params.profile;
    this.batch = params.batch;
    this.tool = params.tool;
    this.times = params.times;
    this.faultNanos = params.faultDuration.toNanos();
    this.fault = fault;
    this.k = k;
  }

  /** Result of parsing a model name: the model, or the reason why it is unknown. */
  sealed interface Parsed {
    record Known(MockModel model) implements Parsed {}

    record Unknown(String reason) implements Parsed {}
  }

  /** True if a model of this name answers in sentences. */
  static boolean isDemo(String name) {
    String path = path(name);
    return path.startsWith(DEMO, path.lastIndexOf('/') + 1);
  }

  private static String path(String name) {
    int mark = name.indexOf('?');
    return mark < 0 ? name : name.substring(0, mark);
  }

  static Parsed parse(String name, MockProfile base) {
    int mark = name.indexOf('?');
    String path = path(name);
    Params params = new Params(base);
    try {
      if (mark >= 0) {
        for (String param : name.substring(mark + 1).split("&", -1)) {
          params.set(param);
        }
      }
    } catch (IllegalArgumentException e) {
      return new Parsed.Unknown(String.valueOf(e.getMessage()));
    }
    return parse(path, params);
  }

  private static Parsed parse(String path, Params params) {
    if (!path.startsWith("fault/") && !path.contains("/fault/")) {
      return new Parsed.Known(new MockModel(params, null, 0));
    }
    Matcher matcher = NAME.matcher(path);
    if (!matcher.matches()) {
      return new Parsed.Unknown("this is not the name of a fault");
    }
    MockFault fault = FaultCatalog.named(matcher.group(1));
    if (fault == null) {
      return new Parsed.Unknown("there is no fault " + matcher.group(1));
    }
    String k = matcher.group(2);
    if (k != null && !fault.spec().takesK()) {
      return new Parsed.Unknown(matcher.group(1) + " takes no number");
    }
    int number = k == null ? fault.spec().kDefault() : Integer.parseInt(k);
    return new Parsed.Known(new MockModel(params, fault, number));
  }

  MockProfile profile() {
    return profile;
  }

  /** True if a tool is called although the request does not require it. */
  boolean tool() {
    return tool;
  }

  /** Returns the most events in one write; 0 means all that are due. */
  int batch() {
    return batch;
  }

  /**
   * True if the fault applies to the next request, which counts towards {@code times} and {@code
   * for}.
   */
  boolean faultIsDue(long nowNanos) {
    return fault != null
        && (faultNanos == 0 || sinceFirst(nowNanos) < faultNanos)
        && (times == 0 || faultsInjected.getAndIncrement() < times);
  }

  private long sinceFirst(long nowNanos) {
    firstNanos.compareAndSet(0, nowNanos == 0 ? 1 : nowNanos);
    return nowNanos - firstNanos.get();
  }

  /** True if the reply is sent before the request body is complete. */
  boolean isEarly() {
    return fault == HeadFault.EARLY;
  }

  void applyFault(ReplyDraft draft) {
    if (fault != null) {
      fault.spec().effect().apply(draft, k);
    }
  }

  /** Parameters after the question mark of the name. */
  private static final class Params {
    private MockProfile profile;
    private int batch;
    private boolean tool;
    private int times;
    private Duration faultDuration = Duration.ZERO;

    Params(MockProfile base) {
      this.profile = base;
    }

    void set(String param) {
      int equals = param.indexOf('=');
      String name = equals < 0 ? param : param.substring(0, equals);
      String value = equals < 0 ? "" : param.substring(equals + 1);
      switch (name) {
        case "ttft" -> profile = profile.withTtft(pause(name, value));
        case "interval" -> profile = profile.withChunkInterval(pause(name, value));
        case "chunks" -> profile = profile.withChunks(count(name, value));
        case "seed" -> profile = profile.withSeed(count(name, value));
        case "batch" -> batch = count(name, value);
        case "times" -> times = count(name, value);
        case "for" -> faultDuration = pause(name, value);
        case "tool" -> tool = value.isEmpty() || value.equals("true");
        default -> throw new IllegalArgumentException("there is no parameter " + name);
      }
    }

    private static int count(String name, String value) {
      if (!value.matches("\\d{1,9}")) {
        throw new IllegalArgumentException(name + " is not a number");
      }
      return Integer.parseInt(value);
    }

    private static Duration pause(String name, String value) {
      Matcher matcher = PAUSE.matcher(value);
      if (!matcher.matches()) {
        throw new IllegalArgumentException(name + " is not a duration such as 20ms");
      }
      long count = Long.parseLong(matcher.group(1));
      String unit = matcher.group(2);
      if (unit == null || unit.equals("ms")) {
        return Duration.ofMillis(count);
      }
      return unit.equals("s") ? Duration.ofSeconds(count) : Duration.ofNanos(count * 1_000);
    }
  }
}

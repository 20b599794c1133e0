package dev.tollgate.mock.media;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Behaviour of a mock video or music job, parsed from the requested model's name: {@code
 * [prefix/]name[?params]} of a healthy one, {@code [prefix/]fault/name[:k][?params]} of a fault.
 * Parameters are {@code takes} and {@code progress}, joined by {@code &}.
 *
 * @param fault null means none
 * @param k the fault's number
 * @param duration time from the job's acceptance to its end
 * @param progress whether the job reports its progress
 */
record MediaModel(@Nullable MediaFault fault, int k, Duration duration, boolean progress) {
  private static final Pattern FAULT =
      Pattern.compile("(?:.*/)?fault/([a-z0-9-]+)(?::(\\d{1,6}))?");
  private static final Pattern PAUSE = Pattern.compile("(\\d{1,9})(ms|s)?");

  boolean is(MediaFault other) {
    return fault == other;
  }

  /**
   * Reads a name.
   *
   * @param durationDefault duration if the name has none
   * @throws IllegalArgumentException if the fault or a parameter is unknown; the message names it
   */
  static MediaModel parse(String name, Duration durationDefault) {
    int mark = name.indexOf('?');
    String path = mark < 0 ? name : name.substring(0, mark);
    MediaModel model = faulty(path, durationDefault);
    if (mark < 0) {
      return model;
    }
    for (String param : name.substring(mark + 1).split("&", -1)) {
      model = model.with(param);
    }
    return model;
  }

  private static MediaModel faulty(String path, Duration duration) {
    if (!path.startsWith("fault/") && !path.contains("/fault/")) {
      return new MediaModel(null, 0, duration, true);
    }
    Matcher named = FAULT.matcher(path);
    MediaFault fault = named.matches() ? MediaFault.named(named.group(1)) : null;
    if (fault == null) {
      throw new IllegalArgumentException("there is no such fault of jobs");
    }
    String k = named.group(2);
    if (k != null && !fault.takesK()) {
      throw new IllegalArgumentException(fault.wireName() + " takes no number");
    }
    return new MediaModel(
        fault, k == null ? fault.kDefault() : Integer.parseInt(k), duration, true);
  }

  private MediaModel with(String param) {
    String[] both = param.split("=", 2);
    String value = both.length == 2 ? both[1] : "";
    return switch (both[0]) {
      case "takes" -> new MediaModel(fault, k, pause(value), progress);
      case "progress" -> new MediaModel(fault, k, duration, !value.equals("false"));
      default -> throw new IllegalArgumentException("there is no parameter " + both[0]);
    };
  }

  private static Duration pause(String value) {
    Matcher matcher = PAUSE.matcher(value);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("takes is not a duration such as 200ms");
    }
    long count = Long.parseLong(matcher.group(1));
    return "s".equals(matcher.group(2)) ? Duration.ofSeconds(count) : Duration.ofMillis(count);
  }
}

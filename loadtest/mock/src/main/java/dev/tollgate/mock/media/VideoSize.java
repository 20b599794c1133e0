package dev.tollgate.mock.media;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Width and height of a video in pixels, both even. */
public record VideoSize(int width, int height) {
  private static final Pattern LINES = Pattern.compile("(\\d{2,4})p");
  private static final Pattern SIZE = Pattern.compile("(\\d{2,4})x(\\d{2,4})");
  private static final Pattern ASPECT = Pattern.compile("(\\d{1,3}):(\\d{1,3})");
  private static final int LINES_USUAL = 720;
  private static final int SIDE_MIN = 16;
  private static final int SIDE_MAX = 4_096;

  /**
   * Parses a requested resolution: {@code 720p} is the shorter side, {@code 1280x720} are both
   * sides; anything else becomes the default.
   */
  public static VideoSize of(String resolution, String aspectRatio) {
    Matcher size = SIZE.matcher(resolution);
    if (size.matches()) {
      return of(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2)));
    }
    Matcher lines = LINES.matcher(resolution);
    int shorter = lines.matches() ? Integer.parseInt(lines.group(1)) : LINES_USUAL;
    Matcher aspect = ASPECT.matcher(aspectRatio);
    int across = aspect.matches() ? Math.max(1, Integer.parseInt(aspect.group(1))) : 16;
    int down = aspect.matches() ? Math.max(1, Integer.parseInt(aspect.group(2))) : 9;
    return across >= down
        ? of(shorter * across / down, shorter)
        : of(shorter, shorter * down / across);
  }

  private static VideoSize of(int width, int height) {
    return new VideoSize(side(width), side(height));
  }

  private static int side(int pixels) {
    return Math.clamp(pixels, SIDE_MIN, SIDE_MAX) & ~1;
  }
}

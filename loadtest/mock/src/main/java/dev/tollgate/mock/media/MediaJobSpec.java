package dev.tollgate.mock.media;

import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Parameters of a video or music job that a client submitted to the mock provider.
 *
 * @param model the name that selects the behaviour
 * @param video video, else music
 * @param format of music
 * @param images URLs of input images
 */
record MediaJobSpec(
    String model,
    boolean video,
    String prompt,
    Duration length,
    String resolution,
    String aspectRatio,
    String format,
    int samplesPerSecond,
    List<String> images) {
  private static final double SECONDS_USUAL = 5;
  private static final double SECONDS_MAX = 600;
  private static final int SAMPLES_USUAL = 24_000;
  private static final int SAMPLES_MIN = 8_000;
  private static final int SAMPLES_MAX = 48_000;

  /** Model that delegates to the member {@code x_mock} of the body. */
  private static final String DELEGATED_MODEL = "asked";

  static MediaJobSpec read(byte[] body, int length) throws InvalidJson {
    JsonMembers members = JsonMembers.of(body, 0, length);
    String model = text(members, "model");
    boolean isDelegated = model.equals(DELEGATED_MODEL) || model.endsWith("/" + DELEGATED_MODEL);
    String behavior = text(members, "x_mock");
    String format = text(members, "format");
    return new MediaJobSpec(
        isDelegated && !behavior.isEmpty() ? behavior : model,
        !text(members, "kind").equals("music"),
        text(members, "prompt"),
        seconds(members),
        text(members, "resolution"),
        text(members, "aspect_ratio"),
        format.isEmpty() ? "mp3" : format,
        samples(members),
        images(members));
  }

  /** Returns a copy with another length. */
  MediaJobSpec withLength(Duration other) {
    return new MediaJobSpec(
        model, video, prompt, other, resolution, aspectRatio, format, samplesPerSecond, images);
  }

  private static List<String> images(JsonMembers members) {
    List<String> images = new ArrayList<>();
    for (String name : List.of("image_url", "end_image_url")) {
      if (!text(members, name).isEmpty()) {
        images.add(text(members, name));
      }
    }
    int i = members.indexOf("input_images");
    if (i >= 0 && members.kind(i) == JsonKind.ARRAY) {
      JsonElements all = members.array(i);
      for (int k = 0; k < all.size(); k++) {
        images.add(all.kind(k) == JsonKind.STRING ? all.string(k) : "");
      }
    }
    return List.copyOf(images);
  }

  private static String text(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) == JsonKind.STRING ? members.string(i) : "";
  }

  private static Duration seconds(JsonMembers members) {
    int i = members.indexOf("duration_seconds");
    boolean isGiven = i >= 0 && members.kind(i) == JsonKind.NUMBER;
    double seconds = isGiven ? members.number(i) : SECONDS_USUAL;
    return Duration.ofMillis(Math.round(1_000 * Math.clamp(seconds, 0.1, SECONDS_MAX)));
  }

  /** Returns the sample rate; an unsupported one becomes the default. */
  private static int samples(JsonMembers members) {
    int i = members.indexOf("sample_rate");
    boolean isGiven = i >= 0 && members.kind(i) == JsonKind.NUMBER;
    long samples = isGiven ? members.integer(i, SAMPLES_USUAL) : SAMPLES_USUAL;
    boolean isTaken = samples >= SAMPLES_MIN && samples <= SAMPLES_MAX;
    return isTaken ? (int) samples : SAMPLES_USUAL;
  }
}

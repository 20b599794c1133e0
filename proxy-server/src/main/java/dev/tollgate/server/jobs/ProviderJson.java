package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobArtifact.Frame;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.server.jobs.JobStore.Progress;
import dev.tollgate.server.jobs.MediaProvider.MadeFile;
import dev.tollgate.server.jobs.MediaProvider.Phase;
import dev.tollgate.server.jobs.MediaProvider.Seen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads what a provider tells of a job. What it says is not trusted: all of it has bounds. */
final class ProviderJson {
  private static final int ID_LENGTH_MAX = 256;
  private static final int TEXT_LENGTH_MAX = 500;
  private static final int FILES_MAX = 16;
  private static final int PIXELS_MAX = 65_536;
  private static final double SECONDS_MAX = 24 * 3_600;
  private static final Pattern CONTROLS = Pattern.compile("\\p{Cntrl}");

  private ProviderJson() {}

  /** How a job stands, or that it cannot be told from this. */
  static Seen seen(byte[] body) {
    try {
      return seen(JsonMembers.of(body, 0, body.length));
    } catch (InvalidJson e) {
      return new Seen.Unknown("the answer is not JSON");
    }
  }

  private static Seen seen(JsonMembers job) {
    String id = text(job, "id");
    if (id.isEmpty() || id.length() > ID_LENGTH_MAX) {
      return new Seen.Unknown("the answer names no job");
    }
    return switch (text(job, "status")) {
      case "queued" -> new Seen.Working(id, progress(job), Phase.WAITING);
      case "running" -> new Seen.Working(id, progress(job), Phase.RUNNING);
      case "succeeded" -> new Seen.Made(id, seconds(job, "seconds"), files(job));
      case "failed" -> failed(id, job);
      case "cancelled" -> new Seen.GivenUp(id);
      default -> new Seen.Unknown("a status that nobody knows");
    };
  }

  private static Seen failed(String id, JsonMembers job) {
    Refusal why = refusal(job);
    return new Seen.Failed(id, why.code(), why.message());
  }

  /** Why something was refused or failed. */
  record Refusal(String code, String message) {}

  static Refusal refusal(byte[] body) {
    try {
      return refusal(JsonMembers.of(body, 0, body.length));
    } catch (InvalidJson e) {
      return new Refusal("", "");
    }
  }

  private static Refusal refusal(JsonMembers answer) {
    int i = answer.indexOf("error");
    if (i < 0 || answer.kind(i) != JsonKind.OBJECT) {
      return new Refusal("", "");
    }
    JsonMembers error = answer.object(i);
    return new Refusal(cut(text(error, "code")), cut(text(error, "message")));
  }

  private static Progress progress(JsonMembers job) {
    int i = job.indexOf("progress");
    if (i < 0 || job.kind(i) != JsonKind.NUMBER) {
      return new Progress.Untold();
    }
    return new Progress.Percent((int) Math.clamp(job.number(i), 0, 100));
  }

  private static List<MadeFile> files(JsonMembers job) {
    int i = job.indexOf("files");
    if (i < 0 || job.kind(i) != JsonKind.ARRAY) {
      return List.of();
    }
    JsonElements told = job.array(i);
    List<MadeFile> files = new ArrayList<>();
    for (int n = 0; n < Math.min(told.size(), FILES_MAX); n++) {
      if (told.kind(n) == JsonKind.OBJECT) {
        files.add(file(told.object(n)));
      }
    }
    return files;
  }

  private static MadeFile file(JsonMembers told) {
    int width = pixels(told, "width");
    int height = pixels(told, "height");
    Optional<Frame> frame =
        width > 0 && height > 0 ? Optional.of(new Frame(width, height)) : Optional.empty();
    return new MadeFile(frame, seconds(told, "duration_seconds"));
  }

  private static int pixels(JsonMembers members, String name) {
    int i = members.indexOf(name);
    boolean isNumber = i >= 0 && members.kind(i) == JsonKind.NUMBER;
    return isNumber ? Math.clamp(members.integer(i, 0), 0, PIXELS_MAX) : 0;
  }

  private static Optional<Duration> seconds(JsonMembers told, String name) {
    int i = told.indexOf(name);
    if (i < 0 || told.kind(i) != JsonKind.NUMBER || !(told.number(i) >= 0)) {
      return Optional.empty();
    }
    return Optional.of(
        Duration.ofMillis(Math.round(1_000 * Math.min(SECONDS_MAX, told.number(i)))));
  }

  private static String text(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) == JsonKind.STRING ? members.string(i) : "";
  }

  private static String cut(String text) {
    String plain = CONTROLS.matcher(text).replaceAll(" "); // it goes into a line of the log
    return plain.length() > TEXT_LENGTH_MAX ? plain.substring(0, TEXT_LENGTH_MAX) : plain;
  }
}

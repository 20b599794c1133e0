package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobArtifact.Frame;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.server.jobs.JobStore.Progress;
import dev.tollgate.server.jobs.MediaProvider.OutputFile;
import dev.tollgate.server.jobs.MediaProvider.Phase;
import dev.tollgate.server.jobs.MediaProvider.ProviderJobState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parser of the JSON job objects of providers, which are not trusted: every value has bounds. */
final class ProviderJson {
  private static final int ID_LENGTH_MAX = 256;
  private static final int TEXT_LENGTH_MAX = 500;
  private static final int FILES_MAX = 16;
  private static final int PIXELS_MAX = 65_536;
  private static final double SECONDS_MAX = 24 * 3_600;
  private static final Pattern CONTROLS = Pattern.compile("\\p{Cntrl}");

  private ProviderJson() {}

  /** Returns the state of a job, or that the body does not show one. */
  static ProviderJobState state(byte[] body) {
    try {
      return state(JsonMembers.of(body, 0, body.length));
    } catch (InvalidJson e) {
      return new ProviderJobState.Unknown("the answer is not JSON");
    }
  }

  private static ProviderJobState state(JsonMembers job) {
    String id = text(job, "id");
    if (id.isEmpty() || id.length() > ID_LENGTH_MAX) {
      return new ProviderJobState.Unknown("the answer names no job");
    }
    return switch (text(job, "status")) {
      case "queued" -> new ProviderJobState.InProgress(id, progress(job), Phase.WAITING);
      case "running" -> new ProviderJobState.InProgress(id, progress(job), Phase.RUNNING);
      case "succeeded" -> new ProviderJobState.Succeeded(id, seconds(job, "seconds"), files(job));
      case "failed" -> failed(id, job);
      case "cancelled" -> new ProviderJobState.Aborted(id);
      default -> new ProviderJobState.Unknown("unknown status");
    };
  }

  private static ProviderJobState failed(String id, JsonMembers job) {
    ProviderError why = readError(job);
    return new ProviderJobState.Failed(id, why.code(), why.message());
  }

  /** Error with which a provider refused or failed a job. */
  record ProviderError(String code, String message) {}

  static ProviderError readError(byte[] body) {
    try {
      return readError(JsonMembers.of(body, 0, body.length));
    } catch (InvalidJson e) {
      return new ProviderError("", "");
    }
  }

  private static ProviderError readError(JsonMembers answer) {
    int i = answer.indexOf("error");
    if (i < 0 || answer.kind(i) != JsonKind.OBJECT) {
      return new ProviderError("", "");
    }
    JsonMembers error = answer.object(i);
    return new ProviderError(cut(text(error, "code")), cut(text(error, "message")));
  }

  private static Progress progress(JsonMembers job) {
    int i = job.indexOf("progress");
    if (i < 0 || job.kind(i) != JsonKind.NUMBER) {
      return new Progress.Unknown();
    }
    return new Progress.Percent((int) Math.clamp(job.number(i), 0, 100));
  }

  private static List<OutputFile> files(JsonMembers job) {
    int i = job.indexOf("files");
    if (i < 0 || job.kind(i) != JsonKind.ARRAY) {
      return List.of();
    }
    JsonElements json = job.array(i);
    List<OutputFile> files = new ArrayList<>();
    for (int n = 0; n < Math.min(json.size(), FILES_MAX); n++) {
      if (json.kind(n) == JsonKind.OBJECT) {
        files.add(file(json.object(n)));
      }
    }
    return files;
  }

  private static OutputFile file(JsonMembers json) {
    int width = pixels(json, "width");
    int height = pixels(json, "height");
    Optional<Frame> frame =
        width > 0 && height > 0 ? Optional.of(new Frame(width, height)) : Optional.empty();
    return new OutputFile(frame, seconds(json, "duration_seconds"));
  }

  private static int pixels(JsonMembers members, String name) {
    int i = members.indexOf(name);
    boolean isNumber = i >= 0 && members.kind(i) == JsonKind.NUMBER;
    return isNumber ? Math.clamp(members.integer(i, 0), 0, PIXELS_MAX) : 0;
  }

  private static Optional<Duration> seconds(JsonMembers json, String name) {
    int i = json.indexOf(name);
    if (i < 0 || json.kind(i) != JsonKind.NUMBER || !(json.number(i) >= 0)) {
      return Optional.empty();
    }
    return Optional.of(
        Duration.ofMillis(Math.round(1_000 * Math.min(SECONDS_MAX, json.number(i)))));
  }

  private static String text(JsonMembers members, String name) {
    int i = members.indexOf(name);
    return i >= 0 && members.kind(i) == JsonKind.STRING ? members.string(i) : "";
  }

  private static String cut(String text) {
    String plain = CONTROLS.matcher(text).replaceAll(" "); // the text goes into a log line
    return plain.length() > TEXT_LENGTH_MAX ? plain.substring(0, TEXT_LENGTH_MAX) : plain;
  }
}

package dev.tollgate.mock.media;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Video or music job that the mock provider accepted. Its status follows from the time since its
 * acceptance.
 */
final class MediaJob {
  private static final int QUEUED_SHARE = 10;

  final String id;
  final String key;
  final MediaJobSpec spec;
  final MediaModel model;
  private final long acceptedNanos;
  private final MediaFile file;
  private boolean cancelled;
  private int submissions = 1;
  private int polls;
  private int fetches;

  MediaJob(String id, String key, MediaJobSpec spec, MediaModel model, long nowNanos) {
    this.id = id;
    this.key = key;
    this.spec = spec;
    this.model = model;
    this.acceptedNanos = nowNanos;
    this.file = MediaFile.of(spec);
  }

  /** Status of a mock job. */
  enum Status {
    QUEUED,
    RUNNING,
    SUCCEEDED,
    FAILED,
    CANCELLED
  }

  Status status(long nowNanos) {
    if (cancelled) {
      return Status.CANCELLED;
    }
    long durationNanos = model.duration().toNanos();
    long elapsed = nowNanos - acceptedNanos;
    boolean failedQueued =
        model.is(MediaFault.FAILS_QUEUED) && elapsed >= durationNanos / QUEUED_SHARE;
    boolean failedRunning = model.is(MediaFault.FAILS_RUNNING) && elapsed >= durationNanos / 2;
    if (failedQueued || failedRunning) {
      return Status.FAILED;
    }
    if (elapsed < durationNanos / QUEUED_SHARE) {
      return Status.QUEUED;
    }
    boolean isEndless = model.is(MediaFault.ENDLESS) || model.is(MediaFault.UNKNOWN_STATUS);
    return elapsed < durationNanos || isEndless ? Status.RUNNING : Status.SUCCEEDED;
  }

  boolean hasEnded(long nowNanos) {
    return switch (status(nowNanos)) {
      case QUEUED, RUNNING -> false;
      case SUCCEEDED, FAILED, CANCELLED -> true;
    };
  }

  void submittedAgain() {
    submissions++;
  }

  int submissions() {
    return submissions;
  }

  /** Counts a poll; true if it fails. */
  boolean failsPoll() {
    return model.is(MediaFault.POLLS_FAIL) && polls++ < model.k();
  }

  /** Counts a fetch; true if the file is not available yet. */
  boolean isFileLate() {
    return model.is(MediaFault.LATE_FILE) && fetches++ < model.k();
  }

  /** Cancels the job; false if it cannot be cancelled. */
  boolean cancel(long nowNanos) {
    if (model.is(MediaFault.NO_CANCEL) || (hasEnded(nowNanos) && !cancelled)) {
      return false;
    }
    cancelled = true;
    return true;
  }

  MediaFile file() {
    return file;
  }

  /** Returns the JSON members of the job. */
  Map<String, Object> members(long nowNanos) {
    Status status = status(nowNanos);
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("id", id);
    members.put("kind", spec.video() ? "video" : "music");
    members.put("model", spec.model());
    members.put("status", statusText(status));
    if (status == Status.RUNNING && model.progress()) {
      long done = 100 * (nowNanos - acceptedNanos) / Math.max(1, model.duration().toNanos());
      members.put("progress", Math.min(99, done));
    }
    if (status == Status.FAILED) {
      String code = model.is(MediaFault.FAILS_QUEUED) ? "content_policy" : "generation_failed";
      members.put(
          "error", Map.of("code", code, "message", "The mock provider simulates a failure."));
    }
    if (status == Status.SUCCEEDED) {
      members.put("seconds", seconds());
      members.put("files", model.is(MediaFault.NO_FILE) ? List.of() : List.of(fileMembers()));
    }
    return members;
  }

  private double seconds() {
    return spec.length().toMillis() / 1_000.0;
  }

  private String statusText(Status status) {
    return switch (status) {
      case QUEUED -> "queued";
      case RUNNING -> model.is(MediaFault.UNKNOWN_STATUS) ? "daydreaming" : "running";
      case SUCCEEDED -> "succeeded";
      case FAILED -> "failed";
      case CANCELLED -> "cancelled";
    };
  }

  private Map<String, Object> fileMembers() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("content_type", file.contentType());
    file.videoSize().ifPresent(size -> members.put("width", size.width()));
    file.videoSize().ifPresent(size -> members.put("height", size.height()));
    members.put("duration_seconds", seconds());
    return members;
  }
}

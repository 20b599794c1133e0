package dev.tollgate.server.mock.media;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A job that was accepted. What became of it is told by the time since then. */
final class MediaJob {
  private static final int QUEUED_SHARE = 10;

  final String id;
  final String key;
  final MediaWish wish;
  final MediaModel model;
  private final long acceptedNanos;
  private final MediaFile file;
  private boolean cancelled;
  private int submissions = 1;
  private int looks;
  private int fetches;

  MediaJob(String id, String key, MediaWish wish, MediaModel model, long nowNanos) {
    this.id = id;
    this.key = key;
    this.wish = wish;
    this.model = model;
    this.acceptedNanos = nowNanos;
    this.file = MediaFile.of(wish);
  }

  /** How far it came. */
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
    long takes = model.takes().toNanos();
    long elapsed = nowNanos - acceptedNanos;
    boolean isOut = model.is(MediaFault.FAILS_QUEUED) && elapsed >= takes / QUEUED_SHARE;
    boolean isBroken = model.is(MediaFault.FAILS_RUNNING) && elapsed >= takes / 2;
    if (isOut || isBroken) {
      return Status.FAILED;
    }
    if (elapsed < takes / QUEUED_SHARE) {
      return Status.QUEUED;
    }
    boolean isEndless = model.is(MediaFault.ENDLESS) || model.is(MediaFault.ODD_STATUS);
    return elapsed < takes || isEndless ? Status.RUNNING : Status.SUCCEEDED;
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

  /** Counts a look; whether it is to fail. */
  boolean looksFail() {
    return model.is(MediaFault.LOOKS_FAIL) && looks++ < model.k();
  }

  /** Counts a fetch; whether the file is not there yet. */
  boolean isFileLate() {
    return model.is(MediaFault.LATE_FILE) && fetches++ < model.k();
  }

  /** Whether it is cancelled now. */
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

  /** As a provider tells it. */
  Map<String, Object> told(long nowNanos) {
    Status status = status(nowNanos);
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("id", id);
    told.put("kind", wish.video() ? "video" : "music");
    told.put("model", wish.model());
    told.put("status", word(status));
    if (status == Status.RUNNING && model.progress()) {
      long done = 100 * (nowNanos - acceptedNanos) / Math.max(1, model.takes().toNanos());
      told.put("progress", Math.min(99, done));
    }
    if (status == Status.FAILED) {
      String code = model.is(MediaFault.FAILS_QUEUED) ? "content_policy" : "generation_failed";
      told.put("error", Map.of("code", code, "message", "The mock provider fails as told."));
    }
    if (status == Status.SUCCEEDED) {
      told.put("seconds", seconds());
      told.put("files", model.is(MediaFault.NO_FILE) ? List.of() : List.of(toldFile()));
    }
    return told;
  }

  private double seconds() {
    return wish.length().toMillis() / 1_000.0;
  }

  private String word(Status status) {
    return switch (status) {
      case QUEUED -> "queued";
      case RUNNING -> model.is(MediaFault.ODD_STATUS) ? "daydreaming" : "running";
      case SUCCEEDED -> "succeeded";
      case FAILED -> "failed";
      case CANCELLED -> "cancelled";
    };
  }

  private Map<String, Object> toldFile() {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("content_type", file.contentType());
    file.screen().ifPresent(screen -> told.put("width", screen.width()));
    file.screen().ifPresent(screen -> told.put("height", screen.height()));
    told.put("duration_seconds", seconds());
    return told;
  }
}

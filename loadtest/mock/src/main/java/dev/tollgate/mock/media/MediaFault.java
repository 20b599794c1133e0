package dev.tollgate.mock.media;

import org.jspecify.annotations.Nullable;

/**
 * Fault of the mock provider for video and music jobs, selected by the model name {@code
 * fault/<name>[:k]}.
 */
public enum MediaFault {
  REFUSED("job-refused", "400 `content_policy`: no job is created"),
  BUSY("job-busy", 2, "503 to the first k submissions of each key, without accepting them"),
  LOST_ANSWER("job-lost-answer", "accepts the job, then FIN instead of a reply"),
  NO_RESPONSE("job-silent", "accepts the job and never replies to the submission"),
  FAILS_QUEUED("job-fails-queued", "fails with `content_policy` before it runs"),
  FAILS_RUNNING("job-fails-running", "fails with `generation_failed` half way"),
  NO_CANCEL("job-no-cancel", "409 to the cancellation"),
  UNKNOWN_STATUS("job-unknown-status", "never ends, with an unknown status"),
  POLLS_FAIL("job-polls-fail", 3, "503 to the first k polls"),
  ENDLESS("job-endless", "never ends"),
  FORGOTTEN("job-forgotten", "accepted, then unknown to every query"),
  OTHER_LENGTH("job-length", 1, "makes and reports k seconds, whatever was requested"),
  NO_FILE("file-none", "succeeds without a file"),
  LATE_FILE("file-late", 2, "404 to the first k fetches of the file"),
  SLOW_FILE("file-slow", 20, "the file in pieces of 4 KiB, one each k ms"),
  LARGE_FILE("file-large", 64, "the file padded with zeros to k MiB"),
  CUT_FILE("file-cut", "half of the file, then FIN"),
  HTML_FILE("file-html", "an HTML page instead of the file");

  private static final int NO_K = -1;

  private final String wireName;
  private final int kDefault;
  private final String description;

  MediaFault(String wireName, String description) {
    this(wireName, NO_K, description);
  }

  MediaFault(String wireName, int kDefault, String description) {
    this.wireName = wireName;
    this.kDefault = kDefault;
    this.description = description;
  }

  static @Nullable MediaFault named(String wireName) {
    for (MediaFault fault : values()) {
      if (fault.wireName.equals(wireName)) {
        return fault;
      }
    }
    return null;
  }

  /** Returns the name after {@code fault/}. */
  public String wireName() {
    return wireName;
  }

  public boolean takesK() {
    return kDefault != NO_K;
  }

  /** Returns the number used if the model name has none. */
  public int kDefault() {
    return kDefault;
  }

  /** Returns one line for the documentation, about what happens on the wire. */
  public String description() {
    return description;
  }
}

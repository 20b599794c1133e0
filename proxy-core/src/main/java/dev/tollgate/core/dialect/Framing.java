package dev.tollgate.core.dialect;

/** How the events of a provider's stream stand one behind the other. */
public enum Framing {
  EVENTS("text/event-stream"),
  /** One JSON text in each line. */
  LINES("application/x-ndjson");

  private final String mediaType;

  Framing(String mediaType) {
    this.mediaType = mediaType;
  }

  /** The media type of such a stream. */
  public String mediaType() {
    return mediaType;
  }
}

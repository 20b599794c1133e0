package dev.tollgate.bench;

/** Expected frames of a scenario's streams, which supplies a check for each stream. */
interface Script {
  StreamCheck newCheck(Tally tally);

  /** Accepts any frames. */
  Script NONE = _ -> new AcceptAll();

  /** Check of one stream, frame by frame. */
  interface StreamCheck {
    /**
     * Checks a chunk with content.
     *
     * @param hash of the content
     * @param sinceIntendedNanos time since the request's intended start
     */
    void frame(long hash, long sinceIntendedNanos);

    /** Called at the end of the stream; false if its frames differ from the expected ones. */
    boolean isValid();
  }

  /** Check that accepts any frames. */
  final class AcceptAll implements StreamCheck {
    @Override
    public void frame(long hash, long sinceIntendedNanos) {}

    @Override
    public boolean isValid() {
      return true;
    }
  }
}

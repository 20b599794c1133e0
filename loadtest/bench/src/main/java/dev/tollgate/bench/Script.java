package dev.tollgate.bench;

/** What is known of the streams to come: each is read by a reading of its own. */
interface Script {
  StreamCheck newCheck(Tally tally);

  /** Nothing is known: whatever comes is fine. */
  Script NONE = _ -> new AcceptAll();

  /** One stream, frame by frame. */
  interface StreamCheck {
    /**
     * A chunk with content came.
     *
     * @param hash of the content
     * @param sinceIntendedNanos since the request should have started
     */
    void frame(long hash, long sinceIntendedNanos);

    /** The stream is whole; false if its frames are not what they should be. */
    boolean isValid();
  }

  /** A reading that expects nothing. */
  final class AcceptAll implements StreamCheck {
    @Override
    public void frame(long hash, long sinceIntendedNanos) {}

    @Override
    public boolean isValid() {
      return true;
    }
  }
}

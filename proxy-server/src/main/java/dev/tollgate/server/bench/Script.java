package dev.tollgate.server.bench;

/** What is known of the streams to come: each is read by a reading of its own. */
interface Script {
  Reading read(Tally tally);

  /** Nothing is known: whatever comes is fine. */
  Script NONE = _ -> new Anything();

  /** One stream, frame by frame. */
  interface Reading {
    /**
     * A chunk with content came.
     *
     * @param hash of the content
     * @param sinceIntendedNanos since the request should have started
     */
    void frame(long hash, long sinceIntendedNanos);

    /** The stream is whole; false if its frames are not what they should be. */
    boolean isSound();
  }

  /** A reading that expects nothing. */
  final class Anything implements Reading {
    @Override
    public void frame(long hash, long sinceIntendedNanos) {}

    @Override
    public boolean isSound() {
      return true;
    }
  }
}
